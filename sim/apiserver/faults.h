#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/transport.h"
#include "runtime/time.h"
#include "sim/apiserver/requests/request_info.h"

/// What a test or a scenario lets the embedded server do wrong, on purpose (spec/api-server.md
/// "Faults worth injecting").
namespace nlc::sim {

/// Which requests a fault is for. Empty fields match everything.
struct RequestPattern {
  std::string verb;
  std::string resource;
  std::string subresource;
  std::string name;
  std::string user_agent;  ///< a part of it

  bool matches(const RequestInfo& info, std::string_view agent) const;
};

struct FaultRule {
  enum class Action : std::uint8_t {
    Answer,        ///< `answer` instead of serving the request
    Drop,          ///< the connection breaks, nothing was done
    Delay,         ///< served after `delay`
    LoseResponse,  ///< served, then the connection breaks
    Hang,          ///< never answered
    DelayResponse  ///< served at once, answered after `delay`
  };

  RequestPattern pattern;
  Action action = Action::Answer;
  client::Response answer;
  Duration delay{0};
  std::optional<std::uint64_t> times;  ///< how often; unset: always

  static FaultRule answering(RequestPattern pattern, client::Response answer);
  static FaultRule doing(RequestPattern pattern, Action action, Duration delay = {});
  FaultRule&& at_most(std::uint64_t count) &&;
};

/// Answers a deliberate fault may give.
client::Response status_answer(int code, std::string_view reason, std::string_view message,
                               std::optional<Duration> retry_after = {});
/// 429 of an overloaded server: plain text.
client::Response throttled_answer(std::optional<Duration> retry_after);
/// 410 at opening.
client::Response expired_answer();

/// The installed rules; the first that matches and is not used up counts.
class FaultRules {
 public:
  using Id = std::uint64_t;

  Id add(FaultRule rule);
  void remove(Id id);
  void clear() { rules_.clear(); }

  /// The rule for this request, and counts it as used.
  std::optional<FaultRule> take(const RequestInfo& info, std::string_view user_agent);

 private:
  struct Entry {
    Id id;
    FaultRule rule;
  };
  Id last_id_ = 0;
  std::vector<Entry> rules_;
};

}  // namespace nlc::sim

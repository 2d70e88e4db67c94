#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "api/patches.h"
#include "client/transport.h"
#include "metrics/handles.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/log.h"

namespace nlc::client {

/// What an event is about.
struct EventSubject {
  std::string kind;
  std::string namespace_;  ///< empty for a node: its events land in "default"
  std::string name;
  std::string uid;
  std::string api_version = "v1";
};

struct EventText {
  std::string_view type = "Normal";  ///< or "Warning"
  std::string_view reason;
  std::string message;
};

/// Writes core v1 events the way every Kubernetes client does (spec/client.md "Event recorder").
/// Ten that differ only in their message, none more than 600 s after the one before it, become one
/// that is combined; one that happens again is counted on the object that is there; and a chatty
/// object is throttled, 25 at once and then one in 300 s.
///
/// Best effort: nobody waits for an event, none is repeated, and what is not delivered is counted.
/// On the executor's thread.
class EventRecorder {
 public:
  struct Env {
    Transport& transport;
    const Clock& clock;
    Log& log;
    metrics::Counter dropped;
    RequestPriority priority = RequestPriority::Event;
  };
  EventRecorder(Env env, std::string component);

  void record(const EventSubject& subject, const EventText& text);

 private:
  struct Known {
    std::string key;
    api::Event event;
  };
  struct Allowance {
    double tokens;
    Instant counted;
  };

  /// Events that are alike but for their message.
  struct Group {
    std::set<std::string, std::less<>> messages;
    Instant last;
  };

  bool is_one_of_many(const std::string& group_key, const std::string& message, Instant now);
  api::Event& correlate(const std::string& key, const EventSubject& subject, const EventText& text);
  bool allowed(const EventSubject& subject, std::string_view type, Instant now);
  void create(const api::Event& event);
  void count(const api::Event& event);
  std::string unique_name(std::string_view object, WallTime now);
  void report(const Error& error);

  static constexpr std::size_t remembered = 4096;
  static constexpr int in_flight_limit = 1000;

  Env env_;
  const std::string component_;
  std::list<Known> recent_;                                       ///< the latest first
  std::map<std::string_view, std::list<Known>::iterator> known_;  ///< by their keys
  std::map<std::string, Group, std::less<>> groups_;
  std::map<std::string, Allowance, std::less<>> allowances_;
  std::uint64_t named_ = 0;
  int in_flight_ = 0;
  CallbackScope answers_;
};

}  // namespace nlc::client

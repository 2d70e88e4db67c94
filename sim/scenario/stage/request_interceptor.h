#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/endpoint.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/random.h"
#include "sim/scenario/stage/admissions.h"
#include "sim/scenario/stage/request_match.h"
#include "sim/scenario/stage/story.h"
#include "sim/scenario/stage/watch_holds.h"

namespace nlc::sim::scenario {

/// The way of all replicas of the controller to the server: everything they ask comes through here
/// and nothing else does. Keeps what was sent, and stands for whatever goes wrong on that way.
class RequestInterceptor {
 public:
  struct Env {
    const Clock& clock;
    Executor& executor;
    client::Endpoint& server;
    Admissions& admissions;
    const Story& story;
    std::uint64_t seed = 0;  ///< of what fails by chance
  };
  explicit RequestInterceptor(Env env) : env_(env) {}

  /// As `client::Endpoint::serve`, for a request of that replica.
  Subscription serve(const std::string& replica, client::IncomingRequest request,
                     std::unique_ptr<client::Reply> reply);

  const std::deque<SentRequest>& sent() const { return sent_; }

  /// Writes to nodes and pods that the server took.
  std::uint64_t writes() const { return writes_; }
  /// Is told of every write that the server took, of whatever kind.
  void on_taken(std::function<void(const SentRequest&)> told) { on_taken_ = std::move(told); }
  /// Is told after each such write, and whose it was, before its answer is on the way.
  using OnWrite = std::function<void(std::uint64_t, const std::string& replica)>;
  void on_write(OnWrite told) { on_write_ = std::move(told); }

  void fail(const FailApi& failure, Instant until);
  /// Such reads are answered by a server of the past.
  void answer_from(client::Endpoint& past, const StaleReads& reads, Instant until);
  /// Of all answers.
  void set_date_off(Duration offset) { date_off_ = offset; }
  /// Whether who would rather read protobuf than JSON is answered so.
  void speak_protobuf(bool speaks) { speaks_protobuf_ = speaks; }
  /// Until then every request finds its connection broken, whatever else would become of it.
  void be_gone_until(Instant back) { gone_until_ = std::max(gone_until_, back); }
  /// Whoever waits hears that the connection broke.
  void break_connections();
  /// Runs `action` just before such a request is executed, so many times at most.
  void interleave(RequestFilter filter, std::optional<std::uint64_t> times,
                  std::function<void()> action);
  WatchHolds& holds() { return holds_; }

  /// The object that stands for `deleted_one`.
  void choose(std::string name) { chosen_ = std::move(name); }
  const std::string& chosen() const { return chosen_; }

 private:
  struct Fault {
    FailApi failure;
    Instant until;
    std::optional<std::uint64_t> left;
  };
  struct Interleaved {
    RequestFilter filter;
    std::optional<std::uint64_t> left;
    std::function<void()> action;
  };
  /// One of `sent_`, on its way.
  struct InFlight {
    std::size_t number = 0;
    client::IncomingRequest request;
    std::unique_ptr<client::Reply> reply;
  };
  struct Waiting {
    InFlight held;
    std::optional<client::Response> answer;  ///< of one that was done at once
    Timer timer;
    Subscription serving;
  };
  struct Past {
    client::Endpoint& server;
    StaleReads reads;
    Instant until;
    std::optional<std::uint64_t> left;
    bool turn = true;  ///< of alternating ones: the next is answered from the past
  };
  class NotedReply;
  class Unheard;
  class Kept;

  void run_interleaved(const SentRequest& request);
  const Fault* fault_for(const SentRequest& request);
  Subscription perform(const Fault& fault, InFlight call);
  Subscription fail_request(const FailApi& failure, InFlight call);
  client::Endpoint& server_for(const SentRequest& request);
  std::optional<WallTime> dated(std::optional<WallTime> date) const;
  void translate(InFlight& call) const;
  Subscription forward(InFlight call);
  using GoOn = Subscription (RequestInterceptor::*)(InFlight);
  /// What becomes of a request that is held back; nothing, ever, without `go_on`.
  struct Later {
    Duration delay{0};
    GoOn go_on = nullptr;
  };
  const Admission* admission_against(std::size_t number,
                                     Admissions::Delayed delayed = Admissions::Delayed::No);
  Subscription admit(InFlight call);
  Subscription admit_delayed(InFlight call);
  Subscription hold_back(Later later, InFlight call);
  Subscription answer_late(Duration delay, InFlight call);
  Subscription tell_answer(InFlight call);
  void answered(std::size_t number, int status);
  void taken(std::size_t number, int status);

  const Env env_;
  std::deque<SentRequest> sent_;
  std::uint64_t writes_ = 0;
  OnWrite on_write_;
  std::function<void(const SentRequest&)> on_taken_;
  std::vector<Fault> faults_;
  Random chance_{env_.seed};
  std::vector<Interleaved> interleaved_;
  std::vector<Past> pasts_;
  Duration date_off_{0};
  bool speaks_protobuf_ = false;
  Instant gone_until_ = Instant::min();
  WatchHolds holds_;
  std::map<std::size_t, Waiting> waiting_;
  std::string chosen_;
};

}  // namespace nlc::sim::scenario

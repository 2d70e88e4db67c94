#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "client/limits/capacity.h"
#include "client/limits/flights.h"
#include "client/limits/request_kind.h"
#include "client/limits/request_rate.h"
#include "client/limits/room.h"
#include "client/transport.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/executor.h"

namespace nlc::client {

struct LimitOptions {
  double requests_per_second = 0;  ///< --kube-api-qps; 0: no limit
  int burst = 30;                  ///< --kube-api-burst; of use only with a rate
  int in_flight = 64;              ///< at once, apart from those that hang
};

/// Delays requests on their way to the transport: at most so many in flight, fewer of a priority
/// that the server has trouble with, and at most so many a second. Those that wait go in the order
/// of their priorities, first tries of each before what failed before, but each priority has places
/// of its own, and its share of a rate (`Capacity`, `RequestRate`), so that none waits for ever.
/// The election is never held, nor are watches: opening one is limited by its reflector. After its
/// destruction no answer is told any more.
///
/// A caller that must not queue asks for `room` first, and is told when there is room again; what
/// is sent without asking waits here.
///
/// On the executor's thread; all that it is given outlives it.
class LimitedTransport final : public Transport {
 public:
  LimitedTransport(Transport& inner, const Clock& clock, Executor& executor, LimitOptions options);
  LimitedTransport(const LimitedTransport&) = delete;
  LimitedTransport& operator=(const LimitedTransport&) = delete;

  void send(Request request, Answer answer) override;
  Subscription watch(Request request, std::unique_ptr<StreamReader> reader) override;

  /// What would be sent at once.
  Room room() const;
  /// What was done with that room has been sent. When somebody was refused, `again` is called once,
  /// on the executor and not inline, as soon as more may be sent.
  void used(const Room& room, std::function<void()> again);

  std::size_t waiting() const;
  /// Nothing waits, and nothing is on its way but the election and watches.
  bool is_at_rest() const { return capacity_.in_flight() == 0 && waiting() == 0; }

 private:
  struct Waiting {
    Request request;
    Answer answer;
  };
  /// How long nodes must have been quiet before pods and events have all places again.
  static constexpr Duration quiet = std::chrono::milliseconds(250);

  void pump();
  bool pump_one();
  bool pump_one_of(RequestKind kind);
  bool is_paused(RequestKind kind) const { return clock_.now() < capacity_.pause_ends(kind); }
  bool is_busy_with_nodes(const Capacity& capacity) const;
  void launch(Waiting next);
  void answered(RequestKind kind, Instant sent, const Result<Response>& response);
  void tell_room();
  void schedule_wake();

  Transport& inner_;
  const Clock& clock_;
  Executor& executor_;
  ByKind<std::deque<Waiting>> queues_;
  Flights flights_;
  Capacity capacity_;
  RequestRate rate_;
  Instant last_urgent_ = Instant::min();  ///< answer to one that does not yield
  std::function<void()> tell_room_;
  Timer wake_;
  CallbackScope callbacks_;
};

}  // namespace nlc::client

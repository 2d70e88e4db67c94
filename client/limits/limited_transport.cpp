#include "client/limits/limited_transport.h"

#include <algorithm>
#include <utility>

#include "runtime/earlier.h"

namespace nlc::client {

LimitedTransport::LimitedTransport(Transport& inner, const Clock& clock, Executor& executor,
                                   LimitOptions options)
    : inner_(inner),
      clock_(clock),
      executor_(executor),
      capacity_(options.in_flight),
      rate_(options.requests_per_second, std::max(1, options.burst), clock.now()) {}

void LimitedTransport::send(Request request, Answer answer) {
  if (request.priority == RequestPriority::Election)
    return inner_.send(std::move(request), std::move(answer));
  std::deque<Waiting>& waiting = queues_.of({request.priority, request.attempt});
  waiting.push_back({std::move(request), std::move(answer)});
  pump();
}

Subscription LimitedTransport::watch(Request request, std::unique_ptr<StreamReader> reader) {
  return inner_.watch(std::move(request), std::move(reader));
}

std::size_t LimitedTransport::waiting() const {
  std::size_t count = 0;
  for (const auto& queue : queues_) count += queue.size();
  return count;
}

// --- who goes next ------------------------------------------------------------------------------

void LimitedTransport::pump() {
  if (waiting() > 0) {
    const Instant now = clock_.now();
    capacity_.update(now, flights_.overdue(now));
    do {
      capacity_.set_yielding(is_busy_with_nodes(capacity_));
    } while (pump_one());
  }
  schedule_wake();
}

/// The most important one that may go.
bool LimitedTransport::pump_one() {
  return std::ranges::any_of(every_kind, [this](RequestKind kind) { return pump_one_of(kind); });
}

bool LimitedTransport::pump_one_of(RequestKind kind) {
  std::deque<Waiting>& waiting = queues_.of(kind);
  if (waiting.empty()) return false;
  if (is_paused(kind) || !capacity_.has_place(kind)) {
    rate_.waits_no_more(kind);  // which would keep a token from others
    return false;
  }
  const Instant now = clock_.now();
  if (!rate_.has_token(kind, now)) {
    rate_.waits(kind, now);
    return false;
  }
  Waiting next = std::move(waiting.front());
  waiting.pop_front();
  launch(std::move(next));
  return true;
}

/// From the first request that does not yield until a moment after the last was answered. Those
/// that hang or are repeated do not count, for that may go on for ever.
bool LimitedTransport::is_busy_with_nodes(const Capacity& capacity) const {
  return capacity.urgent() > 0 || clock_.now() < last_urgent_ + quiet;
}

void LimitedTransport::launch(Waiting next) {
  const Instant sent = clock_.now();
  const RequestKind kind{next.request.priority, next.request.attempt};
  capacity_.take(kind);
  flights_.sent(kind, sent);
  rate_.take(kind, sent);
  inner_.send(std::move(next.request),
              callbacks_.guard(
                  [this, kind, sent, answer = std::move(next.answer)](Result<Response> response) {
                    answered(kind, sent, response);
                    answer(std::move(response));
                    pump();
                    tell_room();
                  }));
}

void LimitedTransport::answered(RequestKind kind, Instant sent, const Result<Response>& response) {
  const Instant now = clock_.now();
  flights_.answered(kind, sent);
  capacity_.give_back(kind);
  capacity_.update(now, flights_.overdue(now));
  capacity_.answered(kind, sent, response);
  const bool in_time = kind.attempt == Try::First && now - sent < Flights::overdue_after;
  if (in_time && !Capacity::yields(kind.priority)) last_urgent_ = now;
}

// --- room ---------------------------------------------------------------------------------------

Room LimitedTransport::room() const {
  const Instant now = clock_.now();
  Room::State state{.capacity = capacity_, .rate = rate_, .now = now};
  state.capacity.update(now, flights_.overdue(now));
  state.capacity.set_yielding(is_busy_with_nodes(state.capacity));
  for (const RequestKind kind : every_kind) {
    state.closed.of(kind) = !queues_.of(kind).empty() || is_paused(kind);
  }
  return Room(std::move(state));
}

void LimitedTransport::used(const Room& room, std::function<void()> again) {
  const Instant now = clock_.now();
  bool gave_up = false;
  for (const RequestKind kind : every_kind) {
    if (room.lacked_token(kind)) {
      rate_.waits(kind, now);
    } else if (queues_.of(kind).empty()) {
      gave_up = gave_up || rate_.is_waiting(kind);
      rate_.waits_no_more(kind);
    }
  }
  tell_room_ = room.refused() ? std::move(again) : nullptr;
  // What waits, here or there, may have the token that was kept for one who did not ask again: no
  // time tells.
  pump();
  if (gave_up) tell_room();
}

void LimitedTransport::tell_room() {
  if (!tell_room_) return;
  executor_.post(callbacks_.guard(std::exchange(tell_room_, nullptr)));
}

/// Sets a timer for the next moment at which something that waits, here or at a caller that was
/// refused, may go just because time has passed. Answers need none: they pump by themselves.
void LimitedTransport::schedule_wake() {
  wake_.end();
  if (waiting() == 0 && !tell_room_) return;
  const Instant now = clock_.now();
  std::optional<Instant> next;
  const auto no_later_than = [&](Instant when) {
    if (when > now) next = earlier(next, when);
  };
  for (const RequestKind kind : every_kind) no_later_than(capacity_.pause_ends(kind));
  if (const auto overdue = flights_.next_overdue(now)) no_later_than(*overdue);
  no_later_than(last_urgent_ + quiet);
  no_later_than(rate_.next_token(now));
  if (!next) return;
  wake_ = executor_.run_at(*next, [this] {
    pump();
    tell_room();
  });
}

}  // namespace nlc::client

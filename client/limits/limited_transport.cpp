#include "client/limits/limited_transport.h"

#include <utility>

#include "runtime/earlier.h"

namespace nlc::client {

LimitedTransport::LimitedTransport(Transport& inner, const Clock& clock, Executor& executor,
                                   LimitOptions options)
    : inner_(inner),
      clock_(clock),
      executor_(executor),
      capacity_(options.in_flight),
      rate_(options.requests_per_second, options.burst, clock.now()) {}

void LimitedTransport::send(Request request, Answer answer) {
  if (request.priority == RequestPriority::Election)
    return inner_.send(std::move(request), std::move(answer));
  std::deque<Waiting>& waiting = queues_.of(request.priority, request.attempt);
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
  for (const RequestPriority priority : every_priority) {
    for (const Try attempt : both_tries) {
      if (pump_one_of(priority, attempt)) return true;
    }
  }
  return false;
}

bool LimitedTransport::pump_one_of(RequestPriority priority, Try attempt) {
  std::deque<Waiting>& waiting = queues_.of(priority, attempt);
  if (waiting.empty()) return false;
  const RequestKind kind{priority, attempt};
  if (is_paused(priority, attempt) || !capacity_.has_place(priority, attempt)) {
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

bool LimitedTransport::is_paused(RequestPriority priority, Try attempt) const {
  return clock_.now() < capacity_.pause_ends(priority, attempt);
}

/// From the first request that does not yield until a moment after the last was answered. Those
/// that hang or are repeated do not count, for that may go on for ever.
bool LimitedTransport::is_busy_with_nodes(const Capacity& capacity) const {
  return capacity.urgent() > 0 || clock_.now() < last_urgent_ + quiet;
}

void LimitedTransport::launch(Waiting next) {
  const Instant sent = clock_.now();
  capacity_.take(next.request.priority, next.request.attempt);
  flights_.sent(next.request.priority, next.request.attempt, sent);
  rate_.take({next.request.priority, next.request.attempt}, sent);
  Request about{.priority = next.request.priority, .attempt = next.request.attempt};
  inner_.send(std::move(next.request),
              callbacks_.guard([this, about = std::move(about), sent,
                                answer = std::move(next.answer)](Result<Response> response) {
                answered(about, sent, response);
                answer(std::move(response));
                pump();
                tell_room();
              }));
}

void LimitedTransport::answered(const Request& request, Instant sent,
                                const Result<Response>& response) {
  const Instant now = clock_.now();
  flights_.answered(request.priority, request.attempt, sent);
  capacity_.give_back(request.priority, request.attempt);
  capacity_.update(now, flights_.overdue(now));
  capacity_.answered(request.priority, request.attempt, sent, response);
  const bool in_time = request.attempt == Try::First && now - sent < Flights::overdue_after;
  if (in_time && !Capacity::yields(request.priority)) last_urgent_ = now;
}

// --- room ---------------------------------------------------------------------------------------

Room LimitedTransport::room() const {
  const Instant now = clock_.now();
  Room::State state{.capacity = capacity_, .tokens = rate_.tokens(now)};
  state.capacity.update(now, flights_.overdue(now));
  state.capacity.set_yielding(is_busy_with_nodes(state.capacity));
  for (const Try attempt : both_tries) {
    for (const RequestPriority priority : every_priority) {
      state.closed.of(priority, attempt) =
          !queues_.of(priority, attempt).empty() || is_paused(priority, attempt);
    }
  }
  return Room(std::move(state));
}

void LimitedTransport::used(const Room& room, std::function<void()> again) {
  const Instant now = clock_.now();
  for (const RequestPriority priority : every_priority) {
    for (const Try attempt : both_tries) {
      const RequestKind kind{priority, attempt};
      if (room.lacked_token(kind)) {
        rate_.waits(kind, now);
      } else if (queues_.of(kind).empty()) {
        rate_.waits_no_more(kind);
      }
    }
  }
  tell_room_ = room.refused() ? std::move(again) : nullptr;
  // What waits here may have the token that was kept for one who did not ask again: no time tells.
  pump();
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
  for (const RequestPriority priority : every_priority) {
    for (const Try attempt : both_tries) no_later_than(capacity_.pause_ends(priority, attempt));
  }
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

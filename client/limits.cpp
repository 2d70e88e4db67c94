#include "client/limits.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nlc::client {
namespace {

constexpr Lane lane_of(std::size_t index) { return static_cast<Lane>(index); }

}  // namespace

LimitedTransport::LimitedTransport(Transport& inner, const Clock& clock, Executor& executor,
                                   LimitOptions options)
    : inner_(inner),
      clock_(clock),
      executor_(executor),
      capacity_(options.in_flight),
      rate_(options.requests_per_second, options.burst, clock.now()) {}

void LimitedTransport::send(Request request, Answer answer) {
  if (request.lane == Lane::Election) return inner_.send(std::move(request), std::move(answer));
  std::deque<Waiting>& queue = queues_[static_cast<std::size_t>(request.lane)];
  queue.push_back({std::move(request), std::move(answer)});
  pump();
}

Lifeline LimitedTransport::watch(Request request, std::unique_ptr<StreamReader> reader) {
  return inner_.watch(std::move(request), std::move(reader));
}

std::size_t LimitedTransport::waiting() const {
  std::size_t count = 0;
  for (const auto& queue : queues_) count += queue.size();
  return count;
}

// --- who goes next ------------------------------------------------------------------------------

void LimitedTransport::pump() {
  do {
    capacity_.give_way(nodes_are_at_it());
  } while (pump_one());
  schedule_wake();
}

/// The most important one that may go.
bool LimitedTransport::pump_one() {
  const Instant now = clock_.now();
  for (std::size_t index = 0; index < lane_count; ++index) {
    std::deque<Waiting>& queue = queues_[index];
    const Lane lane = lane_of(index);
    if (queue.empty() || is_paused(lane)) continue;
    if (!capacity_.has_place(lane, queue.front().request.attempt)) continue;
    if (!rate_.has_token(lane, now)) {
      rate_.waits(lane, now);
      continue;
    }
    Waiting next = std::move(queue.front());
    queue.pop_front();
    launch(std::move(next));
    return true;
  }
  return false;
}

bool LimitedTransport::is_paused(Lane lane) const {
  return clock_.now() < capacity_.window(lane).pause_ends();
}

/// From their first request until they have been quiet for a moment.
bool LimitedTransport::nodes_are_at_it() const {
  if (capacity_.urgent() > 0) return true;
  return last_urgent_ != Instant::min() && clock_.now() < last_urgent_ + quiet;
}

void LimitedTransport::launch(Waiting next) {
  const Instant sent = clock_.now();
  capacity_.take(next.request.lane, next.request.attempt);
  rate_.take(next.request.lane, sent);
  Request about{.lane = next.request.lane, .attempt = next.request.attempt};
  inner_.send(std::move(next.request),
              [this, about = std::move(about), sent, alive = alive_,
               answer = std::move(next.answer)](Result<Response> response) {
                if (!*alive) return;
                answered(about, sent, response);
                answer(std::move(response));
                pump();
                tell_room();
              });
}

void LimitedTransport::answered(const Request& request, Instant sent,
                                const Result<Response>& response) {
  const Instant now = clock_.now();
  capacity_.give_back(request.lane, request.attempt);
  if (!Capacity::yields(request.lane)) last_urgent_ = now;
  capacity_.window(request.lane).answered(sent, now, response, request.attempt);
}

// --- room ---------------------------------------------------------------------------------------

Room LimitedTransport::room() const {
  const Instant now = clock_.now();
  Room::State state{.capacity = capacity_};
  state.capacity.give_way(nodes_are_at_it());
  for (std::size_t index = 0; index < lane_count; ++index) {
    state.closed[index] = !queues_[index].empty() || is_paused(lane_of(index));
  }
  if (rate_.limits()) {
    state.tokens = rate_.tokens(now);
    state.served_first = rate_.served_first(now);
  }
  return Room(std::move(state));
}

void LimitedTransport::used(const Room& room, std::function<void()> again) {
  const Instant now = clock_.now();
  for (std::size_t index = 0; index < lane_count; ++index) {
    if (room.lacked_token(lane_of(index))) {
      rate_.waits(lane_of(index), now);
    } else if (queues_[index].empty()) {
      rate_.waits_no_more(lane_of(index));
    }
  }
  tell_room_ = room.refused() ? std::move(again) : nullptr;
  schedule_wake();
}

void LimitedTransport::tell_room() {
  if (!tell_room_) return;
  executor_.post([alive = alive_, told = std::exchange(tell_room_, nullptr)] {
    if (*alive) told();
  });
}

/// For what waits, here or outside: the next moment at which time alone lets more of it go. Answers
/// do so by themselves.
void LimitedTransport::schedule_wake() {
  wake_.end();
  if (waiting() == 0 && !tell_room_) return;
  const Instant now = clock_.now();
  std::optional<Instant> next;
  const auto no_later_than = [&](Instant when) {
    if (when > now) next = std::min(next.value_or(when), when);
  };
  for (std::size_t index = 0; index < lane_count; ++index) {
    no_later_than(capacity_.window(lane_of(index)).pause_ends());
  }
  if (last_urgent_ != Instant::min()) no_later_than(last_urgent_ + quiet);
  no_later_than(rate_.next_token(now));
  if (!next) return;
  wake_ = executor_.run_at(*next, [this] {
    pump();
    tell_room();
  });
}

}  // namespace nlc::client

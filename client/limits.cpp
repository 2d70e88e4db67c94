#include "client/limits.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nlc::client {
namespace {

// Seconds; no process lives to see its end, and the clock does not overflow.
constexpr double longest_wait = 1e9;

}  // namespace

LimitedTransport::LimitedTransport(Transport& inner, const Clock& clock, Executor& executor,
                                   LimitOptions options)
    : inner_(inner),
      clock_(clock),
      executor_(executor),
      options_(options),
      window_(options.in_flight),
      tokens_(options.burst),
      refilled_(clock.now()) {
  assert(options.requests_per_second >= 0 && options.in_flight > 0);
}

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

std::deque<LimitedTransport::Waiting>* LimitedTransport::first_waiting() {
  const auto found =
      std::ranges::find_if(queues_, [](const auto& queue) { return !queue.empty(); });
  return found == queues_.end() ? nullptr : &*found;
}

void LimitedTransport::pump() {
  while (in_flight_ < window_.size()) {
    std::deque<Waiting>* queue = first_waiting();
    if (queue == nullptr || pauses()) return;
    if (gives_way(queue->front().request.lane) || !take_token()) return;
    Waiting next = std::move(queue->front());
    queue->pop_front();
    launch(std::move(next));
  }
}

void LimitedTransport::launch(Waiting next) {
  ++in_flight_;
  const bool yielding = yields(next.request.lane);
  if (yielding) ++yielding_;
  // Servers limit events by themselves: that says nothing about other requests.
  const bool tells = next.request.lane != Lane::Event;
  inner_.send(std::move(next.request),
              [this, tells, yielding, sent = clock_.now(), alive = alive_,
               answer = std::move(next.answer)](Result<Response> response) {
                if (!*alive) return;
                --in_flight_;
                if (yielding) {
                  --yielding_;
                } else {
                  last_urgent_ = clock_.now();
                }
                if (tells) window_.answered(sent, clock_.now(), response);
                answer(std::move(response));
                pump();
              });
}

/// While nodes are at it and those that give way have all the places that are left to them: wakes
/// up when it has been quiet.
bool LimitedTransport::gives_way(Lane lane) {
  if (!yields(lane) || yielding_ < yielding_places) return false;
  if (in_flight_ > yielding_) return true;  // an answer will tell
  const Instant end = last_urgent_ + quiet;
  if (clock_.now() >= end) return false;
  wake_ = executor_.run_at(end, [this] { pump(); });
  return true;
}

/// While the server has asked for a pause: wakes up when it is over.
bool LimitedTransport::pauses() {
  if (clock_.now() >= window_.pause_ends()) return false;
  wake_ = executor_.run_at(window_.pause_ends(), [this] { pump(); });
  return true;
}

/// Without a token in the bucket: wakes up when the next one has dripped in.
bool LimitedTransport::take_token() {
  const double rate = options_.requests_per_second;
  if (rate == 0) return true;
  const Instant now = clock_.now();
  const double seconds = std::chrono::duration<double>(now - refilled_).count();
  const double capacity = std::max(1, options_.burst);
  tokens_ = std::min(capacity, tokens_ + seconds * rate);
  refilled_ = now;
  if (tokens_ >= 1) {
    tokens_ -= 1;
    return true;
  }
  const auto wait = std::chrono::duration<double>(std::min((1 - tokens_) / rate, longest_wait));
  wake_ = executor_.run_at(now + std::chrono::ceil<Duration>(wait), [this] { pump(); });
  return false;
}

}  // namespace nlc::client

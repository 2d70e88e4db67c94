#include "sim/apiserver/parked_calls.h"

#include <utility>
#include <vector>

namespace nlc::sim {

void ParkedCalls::until(Instant time, std::unique_ptr<Call> call, Next then) {
  for_version(0, time, std::move(call), std::move(then));
}

void ParkedCalls::for_version(std::uint64_t version, Instant time, std::unique_ptr<Call> call,
                              Next then) {
  const std::uint64_t id = call->id;
  Waiting& waiting = waiting_[id];
  waiting.call = std::move(call);
  waiting.version = version;
  if (time == Instant::max()) return;
  waiting.timer = executor_.run_at(time, [this, id, then = std::move(then)] {
    auto due = waiting_.extract(id);
    if (!due.empty()) then(std::move(due.mapped().call));
  });
}

void ParkedCalls::for_pause(std::unique_ptr<Call> call) {
  const std::uint64_t id = call->id;
  waiting_[id] = Waiting{.call = std::move(call), .for_pause = true};
}

void ParkedCalls::reach(std::uint64_t version, const Next& then) {
  release([version](const Waiting& one) { return one.version != 0 && one.version <= version; },
          then);
}

void ParkedCalls::end_pause(const Next& then) {
  release([](const Waiting& one) { return one.for_pause; }, then);
}

void ParkedCalls::release(const std::function<bool(const Waiting&)>& which, const Next& then) {
  std::vector<std::uint64_t> ids;
  for (const auto& [id, waiting] : waiting_) {
    if (which(waiting)) ids.push_back(id);
  }
  for (const std::uint64_t id : ids) {
    auto entry = waiting_.extract(id);
    if (entry.empty()) continue;  // its caller left meanwhile
    entry.mapped().timer.end();
    then(std::move(entry.mapped().call));
  }
}

void ParkedCalls::clear() {
  const auto broken = std::exchange(waiting_, {});  // a reply that dies breaks its connection
}

}  // namespace nlc::sim

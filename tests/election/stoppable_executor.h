#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "runtime/executor.h"
#include "sim/virtual_time.h"

namespace nlc::election::testing {

/// The thread of a process that can be stopped (SIGSTOP, a paused machine): nothing of it runs
/// until it goes on, and then all that fell due meanwhile, in order.
class StoppableExecutor final : public Executor {
 public:
  explicit StoppableExecutor(sim::VirtualTime& time) : time_(time) {}

  void post(std::function<void()> work) override { (void)add(time_.now(), std::move(work)); }
  Timer run_at(Instant when, std::function<void()> work) override {
    return Timer([this, id = add(when, std::move(work))] { agenda_.erase(id); });
  }

  void stop_until(Instant then) { stopped_until_ = then; }
  void go_on() { stopped_until_ = Instant::min(); }

 private:
  struct Entry {
    std::function<void()> work;
    Timer timer;
  };

  std::uint64_t add(Instant when, std::function<void()> work) {
    const std::uint64_t id = ++last_id_;
    agenda_[id] = {std::move(work), time_.run_at(when, [this, id] { due(id); })};
    return id;
  }
  void due(std::uint64_t id) {
    if (time_.now() < stopped_until_) {
      agenda_.at(id).timer = time_.run_at(stopped_until_, [this, id] { due(id); });
      return;
    }
    const auto entry = agenda_.extract(id);
    entry.mapped().work();
  }

  sim::VirtualTime& time_;
  std::uint64_t last_id_ = 0;
  Instant stopped_until_ = Instant::min();
  std::map<std::uint64_t, Entry> agenda_;
};

}  // namespace nlc::election::testing

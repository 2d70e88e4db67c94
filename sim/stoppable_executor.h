#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/executor.h"
#include "sim/agenda.h"
#include "sim/virtual_time.h"

namespace nlc::sim {

/// The thread of a process that can be stopped (SIGSTOP, a paused machine): nothing of it runs
/// until it goes on, and then all that fell due meanwhile, in order.
class StoppableExecutor final : public Executor {
 public:
  explicit StoppableExecutor(VirtualTime& time) : time_(time) {}

  void post(std::function<void()> work) override { (void)add(time_.now(), std::move(work)); }
  Timer run_at(Instant when, std::function<void()> work) override {
    return Timer([this, id = add(when, std::move(work))] { (void)agenda_.take(id); });
  }

  bool is_stopped() const { return stopped_; }
  void stop() { stopped_ = true; }
  void stop_until(Instant then) {
    stop();
    waking_ = time_.run_at(then, [this] { go_on(); });
  }
  void go_on() {
    stopped_ = false;
    waking_.end();
    for (const std::uint64_t id : std::exchange(waiting_, {})) {
      if (Entry* entry = agenda_.find(id)) entry->timer = timer(time_.now(), id);
    }
  }

 private:
  struct Entry {
    std::function<void()> work;
    Timer timer;
  };

  std::uint64_t add(Instant when, std::function<void()> work) {
    const std::uint64_t id = agenda_.add({std::move(work), {}});
    agenda_.find(id)->timer = timer(when, id);
    return id;
  }
  Timer timer(Instant when, std::uint64_t id) {
    return time_.run_at(when, [this, id] { due(id); });
  }
  void due(std::uint64_t id) {
    if (stopped_) return waiting_.push_back(id);
    const std::optional<Entry> entry = agenda_.take(id);
    entry->work();
  }

  VirtualTime& time_;
  bool stopped_ = false;
  Timer waking_;
  std::vector<std::uint64_t> waiting_;  ///< what fell due since it was stopped
  Agenda<Entry> agenda_;
};

}  // namespace nlc::sim

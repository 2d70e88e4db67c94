#pragma once

#include <optional>
#include <string>

#include "client/event_recorder.h"
#include "client/limits.h"
#include "election/lock.h"
#include "election/ungated_events.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/log.h"

namespace nlc::election {

/// Events about the lock: who became leader, and who stopped leading. That a leader stepped down is
/// told when its gate is shut already. None are sent without a component to send them as.
class LeadershipEvents {
 public:
  struct Env {
    client::Transport& transport;
    const Clock& clock;
    Executor& executor;
    Log& log;
  };
  LeadershipEvents(Env env, const std::string& component)
      : ungated_(env.transport), transport_(ungated_, env.clock, env.executor, {}) {
    if (component.empty()) return;
    recorder_.emplace(client::EventRecorder::Env{transport_, env.clock, env.log, {}}, component);
  }

  void record(const Lock& lock, const std::string& identity, bool leads) {
    if (!recorder_) return;
    for (const client::EventSubject& subject : lock.subjects()) {
      recorder_->record(subject,
                        {.reason = "LeaderElection",
                         .message = identity + (leads ? " became leader" : " stopped leading")});
    }
  }

 private:
  UngatedEvents ungated_;
  client::LimitedTransport transport_;  ///< answers to events end with it
  std::optional<client::EventRecorder> recorder_;
};

}  // namespace nlc::election

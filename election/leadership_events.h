#pragma once

#include <optional>
#include <string>

#include "client/event_recorder.h"
#include "election/lock/lock.h"

namespace nlc::election {

/// Events about the lock: who became leader, and who stopped leading. That a leader stepped down is
/// told when its gate is shut already, so these go with the reads, which pass no gate. None are
/// sent without a component to send them as. On the executor's thread.
class LeadershipEvents {
 public:
  LeadershipEvents(client::EventRecorder::Env env, const std::string& component) {
    env.priority = client::RequestPriority::Read;
    if (!component.empty()) recorder_.emplace(env, component);
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
  std::optional<client::EventRecorder> recorder_;
};

}  // namespace nlc::election

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "controller/nodes/node_lifecycle.h"
#include "controller/options/policy.h"
#include "tests/controller/stores.h"

namespace nlc::conformance {

/// What stands in the place of upstream's queue: the nodes of one zone that wait for their
/// NoExecute taint, as `NodeLifecycle` keeps them. To be added is to be reported not ready, to be
/// removed is to be ready and without the taint, and to be processed is to get the taint written.
///
/// Beside them stands one healthy node that alone is counted, so that the zone is never disrupted.
class QueueWorld final : private informer::StoreListener<api::Node> {
 public:
  explicit QueueWorld(double tokens_per_second);

  void add(const std::string& name);
  void remove(const std::string& name);
  void wait(Duration span);
  void set_rate(double tokens_per_second);

  struct Call {
    std::string name;
    bool accepted;
  };
  /// Lets every taint be written that may be now; those of nodes that `fails` names are refused.
  std::vector<Call> grant(const std::function<bool(const std::string&)>& fails);

  /// Who still waits, in order; nobody does afterwards.
  std::vector<std::string> drain();

  Duration since_start() const;

 private:
  void on_stored(informer::Slot slot, const api::Node& node, const api::Node* before) override;
  void on_removed(informer::Slot slot, const api::Node& node) override;
  void on_synced() override {}

  controller::Moment at() const;
  void store(api::Node node);
  void write(const controller::SetTaints& decision);

  Instant now_;
  int version_ = 0;
  controller::Policy policy_;
  controller::testing::Stores stores_;
  const controller::Pauses pauses_{stores_.view()};
  controller::ApiAvailability availability_;
  controller::NodeLifecycle lifecycle_;
};

}  // namespace nlc::conformance

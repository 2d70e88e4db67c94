#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "controller/pause/policy_in_force.h"
#include "controller/rules/view.h"
#include "controller/server/standstill.h"
#include "informer/reflector.h"
#include "informer/store.h"
#include "runtime/callback_scope.h"

namespace nlc::controller {

/// Follows the one ConfigMap by which an operator says what is not to be done, by its name: the
/// right to others is neither needed nor used. What it says, and what quorum reads of it show, is
/// told to the policy in force.
///
/// On the executor's thread.
class PolicyWatch final : private informer::StoreListener<api::ConfigMap> {
 public:
  struct Place {
    std::string namespace_ = "kube-system";
    std::string name = "node-lifecycle-controller-policy";
    std::string key() const { return namespace_ + "/" + name; }
  };

  /// `changed` is called whenever the policy in force was told something.
  PolicyWatch(Place place, PolicyInForce& in_force, std::function<void()> changed)
      : place_(std::move(place)), in_force_(in_force), changed_(std::move(changed)) {}

  /// Nothing is watched before, and nothing else is called. Once. The seed is the replica's.
  void start(informer::ReflectorEnv env, const informer::WatchOptions& options);

  PolicyAccess access() const;
  /// See `Reflector`.
  std::uint64_t expired() const { return watch_->expired(); }
  /// Told each time before anything is decided, once a second at least. A process that stood still
  /// would act on what it knew before, for its timers come before what has arrived meanwhile.
  void runs(Instant now);
  /// Where somebody waits for it, what the operator says is read from the server itself.
  void look_if_due();
  /// See `ClusterWatch`.
  void server_may_have_gone_back() { watch_->server_may_have_gone_back(); }
  void hurry();
  void publish_gauges() const { watch_->publish_gauges(); }

 private:
  void on_stored(Slot slot, const api::ConfigMap& config, const api::ConfigMap* before) override;
  void on_removed(Slot slot, const api::ConfigMap& config) override;
  void on_synced() override { changed_(); }
  void list_anew();

  const Place place_;
  PolicyInForce& in_force_;
  const std::function<void()> changed_;
  informer::Store<api::ConfigMap> store_;
  std::optional<informer::ReflectorEnv> env_;
  Standstill standstill_;
  std::unique_ptr<informer::Reflector<api::ConfigMap>> watch_;
  CallbackScope callbacks_;
};

}  // namespace nlc::controller

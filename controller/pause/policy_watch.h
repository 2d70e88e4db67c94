#pragma once

#include <string>

#include "controller/pause/policy_in_force.h"
#include "informer/reflector.h"
#include "informer/store.h"

namespace nlc::controller {

/// Follows the one ConfigMap by which an operator says what is not to be done, by its name: the
/// right to others is neither needed nor used.
///
/// On the executor's thread.
class PolicyWatch {
 public:
  struct Place {
    std::string namespace_ = "kube-system";
    std::string name = "node-lifecycle-controller-policy";
    std::string key() const { return namespace_ + "/" + name; }
  };

  /// `listener` is told of every change, and outlives this. The seed is the replica's.
  PolicyWatch(informer::ReflectorEnv env, const Place& place, const informer::WatchOptions& options,
              informer::StoreListener<api::ConfigMap>& listener);

  PolicyAccess access() const;
  /// See `ClusterWatch`.
  void server_may_have_gone_back() { watch_.server_may_have_gone_back(); }
  void hurry();
  /// It is behind what the server says elsewhere.
  void begin_anew() { watch_.list_anew("stalled"); }
  void publish_gauges() const { watch_.publish_gauges(); }

 private:
  informer::Store<api::ConfigMap> store_;
  informer::Reflector<api::ConfigMap> watch_;
};

}  // namespace nlc::controller

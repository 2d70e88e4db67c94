#pragma once

#include <memory>
#include <vector>

#include "controller/rules/health.h"
#include "controller/rules/view.h"
#include "controller/server/api_server_health.h"
#include "informer/index.h"
#include "informer/reflector.h"
#include "informer/store.h"

namespace nlc::controller {

/// The view of the cluster and the watches that keep it current: nodes and pods, and the leases of
/// nodes where somebody judges by them. Pods are found by the name of their node.
///
/// On the executor's thread.
class ClusterWatch final : public Watches {
 public:
  /// Who is told of every change; all outlive this.
  struct Listeners {
    informer::StoreListener<api::Node>& nodes;
    informer::StoreListener<api::NodeLease>* leases = nullptr;  ///< without it none are watched
    informer::StoreListener<api::Pod>& pods;
  };

  View view() const {
    return {.nodes = nodes_, .leases = leases_, .pods = pods_, .pods_by_node = pods_by_node_};
  }

  /// Nothing is watched before. Once. Each watch has a seed of its own, made of the replica's.
  void start(const informer::ReflectorEnv& env, const informer::WatchOptions& options,
             Listeners listeners);

  /// All that is watched has been listed to its end.
  bool synced() const;
  WatchProgress progress(Watched what) const override;

  /// What was answered to a write or a read goes into the view, unless that knows better.
  void written(const api::Node& node) { nodes_.refresh(node); }
  void read(const api::Node& node) { nodes_.refresh_by_read(node); }
  void written(const api::Pod& pod) { pods_.refresh(pod); }

  /// To be told of every change of a pod, first. True: it was bound to its node just now.
  bool bind(Slot slot, const api::Pod& pod, const api::Pod* before);
  void unbind(Slot slot, const api::Pod& pod) { pods_by_node_.remove(pod.node_name, slot); }

  /// Everything is listed anew; the view stays as it is until that is complete.
  void server_may_have_gone_back();
  /// One is behind what the server says elsewhere.
  void begin_anew(Watched what);
  /// The server was heard: nobody waits for it any longer.
  void hurry();

  void publish_gauges() const;
  void add_checks(std::vector<HealthCheck>& checks) const;

 private:
  /// Calls `visit` with that watch, if it is kept.
  template <typename Visit>
  void with(Watched what, Visit visit) const;

  informer::TextPool texts_;  ///< a node's name is said by its lease and its pods, too
  informer::Store<api::Node> nodes_{texts_};
  informer::Store<api::NodeLease> leases_{texts_};
  informer::Store<api::Pod> pods_{texts_};
  informer::Index pods_by_node_{texts_};
  std::unique_ptr<informer::Reflector<api::Node>> node_watch_;
  std::unique_ptr<informer::Reflector<api::NodeLease>> lease_watch_;
  std::unique_ptr<informer::Reflector<api::Pod>> pod_watch_;
};

}  // namespace nlc::controller

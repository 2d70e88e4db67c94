#include "controller/server/cluster_watch.h"

#include <string>

namespace nlc::controller {
namespace {

template <typename T>
HealthCheck check_of(std::string name, const informer::Reflector<T>& watch) {
  const informer::ReflectorState& state = watch.state();
  std::string detail = state.trouble;
  if (detail.empty() && !state.synced) detail = "the first list has not been read yet";
  return {.name = std::move(name),
          .ok = state.synced && state.trouble.empty(),
          .detail = std::move(detail)};
}

template <typename T>
std::unique_ptr<informer::Reflector<T>> watched(informer::ReflectorEnv env, std::uint64_t salt,
                                                Watched what, informer::Store<T>& store,
                                                const informer::WatchOptions& options) {
  env.seed += salt;
  env.resource = name_of(what);
  return std::make_unique<informer::Reflector<T>>(env, store, options);
}

}  // namespace

void ClusterWatch::start(const informer::ReflectorEnv& env, const informer::WatchOptions& options,
                         Listeners listeners) {
  nodes_.set_listener(&listeners.nodes);
  leases_.set_listener(listeners.leases);
  pods_.set_listener(&listeners.pods);
  node_watch_ = watched(env, 4, Watched::Nodes, nodes_, options);
  if (listeners.leases != nullptr)
    lease_watch_ = watched(env, 5, Watched::Leases, leases_, options);
  pod_watch_ = watched(env, 6, Watched::Pods, pods_, options);
}

template <typename Visit>
void ClusterWatch::with(Watched what, Visit visit) const {
  switch (what) {
    case Watched::Nodes:
      if (node_watch_) visit(*node_watch_);
      return;
    case Watched::Leases:
      if (lease_watch_) visit(*lease_watch_);
      return;
    case Watched::Pods:
      if (pod_watch_) visit(*pod_watch_);
      return;
  }
}

bool ClusterWatch::synced() const {
  return nodes_.synced() && pods_.synced() && (leases_.synced() || !lease_watch_);
}

WatchProgress ClusterWatch::progress(Watched what) const {
  WatchProgress progress;
  with(what, [&](const auto& watch) {
    const informer::ReflectorState& state = watch.state();
    progress = {.version = watch.version(),
                .applied = state.applied,
                .lists = state.lists,
                .rewinds = watch.rewinds(),
                .restarts = state.restarts,
                .restarts_at_list = state.restarts_at_list,
                .breaks = state.breaks,
                .breaks_at_list = state.breaks_at_list,
                .expired = watch.expired(),
                .last_heard = state.last_progress,
                .last_change = state.last_change,
                .left = state.left,
                .broke_off = state.broke_off,
                .gap_ended = state.gap_ended,
                .synced = state.synced,
                .open = state.streaming};
  });
  return progress;
}

bool ClusterWatch::bind(Slot slot, const api::Pod& pod, const api::Pod* before) {
  if (before != nullptr && before->node_name == pod.node_name) return false;
  if (before != nullptr) unbind(slot, *before);
  pods_by_node_.add(pod.node_name, slot);
  return true;
}

void ClusterWatch::server_may_have_gone_back() {
  for (const Watched what : all_watched) {
    with(what, [](auto& watch) { watch.server_may_have_gone_back(); });
  }
}

/// A list that is being read must come to its end, however long that takes.
void ClusterWatch::begin_anew(Watched what) {
  with(what,
       [](auto& watch) { watch.version().empty() ? watch.hurry() : watch.list_anew("stalled"); });
}

void ClusterWatch::hurry() {
  for (const Watched what : all_watched) with(what, [](auto& watch) { watch.hurry(); });
}

void ClusterWatch::publish_gauges() const {
  for (const Watched what : all_watched) {
    with(what, [](const auto& watch) { watch.publish_gauges(); });
  }
}

void ClusterWatch::add_checks(std::vector<HealthCheck>& checks) const {
  for (const Watched what : all_watched) {
    with(what, [&](const auto& watch) {
      checks.push_back(check_of("informer-" + std::string(name_of(what)), watch));
    });
  }
}

}  // namespace nlc::controller

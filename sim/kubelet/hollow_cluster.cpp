#include "sim/kubelet/hollow_cluster.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "client/resources.h"
#include "runtime/parse_number.h"
#include "sim/kubelet/hollow_requests.h"

namespace nlc::sim {

std::string zone_name(std::uint32_t zone) {
  if (zone < 26) return std::string("zone-") + static_cast<char>('a' + static_cast<int>(zone));
  return "zone-" + std::to_string(zone + 1);
}

HollowCluster::HollowCluster(Env env, HollowClusterOptions options)
    : env_(env),
      options_(std::move(options)),
      kubelet_env_{
          .transport = env.transport,
          .executor = env.executor,
          .clock = env.clock,
          .options = options_.kubelet,
          .on_registered =
              [this](HollowKubelet& kubelet) { workload_.place_on(kubelet.identity().name); },
          .on_renewal = [this](const Result<api::Lease>& renewal) { count(renewal); }},
      requests_(env, Random(options_.seed)),
      workload_(requests_, options_.workload),
      started_(env.clock.now()) {
  assert(options_.zones > 0);
  Random random(options_.seed);
  kubelets_.reserve(options_.nodes);
  for (std::uint32_t index = 0; index < options_.nodes; ++index) {
    const double phase = static_cast<double>(index) / static_cast<double>(options_.nodes);
    kubelets_.push_back(std::make_unique<HollowKubelet>(kubelet_env_, identity_of(index), phase,
                                                        Random(random.next())));
  }
  for (const std::string& name : options_.inherited) {
    if (HollowKubelet* kubelet = kubelet_of(name)) kubelet->inherit_node();
  }
  pods_.set_listener(this);
  feed_.emplace(informer::ReflectorEnv{.transport = env_.transport,
                                       .clock = env_.clock,
                                       .executor = env_.executor,
                                       .log = env_.log,
                                       .seed = random.next()},
                pods_, informer::WatchOptions{});
  boot_next();
}

HollowCluster::~HollowCluster() = default;

std::string HollowCluster::trouble() const {
  if (!requests_.trouble().empty()) return requests_.trouble();
  const auto refused = std::ranges::find_if(
      kubelets_, [](const auto& kubelet) { return !kubelet->registration().refusal().empty(); });
  return refused == kubelets_.end() ? std::string() : (*refused)->registration().refusal();
}

HollowCluster::Progress HollowCluster::progress() const {
  Progress progress;
  for (const auto& kubelet : kubelets_) {
    progress.registered += kubelet->is_registered() ? 1 : 0;
    progress.pods_running += kubelet->pods().running();
  }
  progress.pods_deleted = deleted_.size();
  const std::uint64_t pods_wanted = std::uint64_t{size()} * options_.workload.pods_per_node;
  progress.complete =
      progress.registered == size() && progress.pods_running + progress.pods_deleted >= pods_wanted;
  return progress;
}

void HollowCluster::kill(std::uint32_t count) {
  for (std::uint32_t index = 0; index < std::min(count, size()); ++index) kubelets_[index]->die();
}

void HollowCluster::revive(std::uint32_t count) {
  for (std::uint32_t index = 0; index < std::min(count, size()); ++index) {
    kubelets_[index]->revive();
  }
}

// Each machine at its own moment of the span; a span too short for that boots several at once.
void HollowCluster::boot_next() {
  const Instant now = env_.clock.now();
  const auto moment_of = [this](std::uint32_t index) {
    return started_ + options_.boot_span * index / std::max(options_.nodes, 1U);
  };
  while (booted_ < size() && moment_of(booted_) <= now) kubelets_[booted_++]->revive();
  if (booted_ == size()) return;
  boot_timer_ = env_.executor.run_at(moment_of(booted_), [this] { boot_next(); });
}

void HollowCluster::count(const Result<api::Lease>& renewal) {
  if (renewal) {
    ++heartbeats_.taken;
    return;
  }
  ++heartbeats_.failed;
  heartbeats_.failure = renewal.error().path;
}

void HollowCluster::on_stored(Slot slot, const api::Pod& pod, const api::Pod* before) {
  if (options_.pods_watcher != nullptr) options_.pods_watcher->on_stored(slot, pod, before);
  if (before != nullptr && (before->uid != pod.uid || before->node_name != pod.node_name)) {
    if (HollowKubelet* kubelet = kubelet_of(before->node_name)) kubelet->on_pod_gone(pod.key());
  }
  deleted_.erase(pod.key());
  if (HollowKubelet* kubelet = kubelet_of(pod.node_name)) kubelet->on_pod(pod);
}

void HollowCluster::on_removed(Slot slot, const api::Pod& pod) {
  if (options_.pods_watcher != nullptr) options_.pods_watcher->on_removed(slot, pod);
  HollowKubelet* kubelet = kubelet_of(pod.node_name);
  if (kubelet == nullptr) return;
  if (is_asked_for(pod)) deleted_.insert(pod.key());
  kubelet->on_pod_gone(pod.key());
}

/// Of one that is bound to a node of ours.
bool HollowCluster::is_asked_for(const api::Pod& pod) const {
  std::string_view name = pod.name;
  if (pod.namespace_ != options_.workload.namespace_ || !name.starts_with(pod.node_name + "-")) {
    return false;
  }
  name.remove_prefix(pod.node_name.size() + 1);
  const auto number = parse_number<std::uint32_t>(name);
  return number && *number < options_.workload.pods_per_node;
}

// The number is in the name: a map of a hundred thousand names would only say it again.
HollowKubelet* HollowCluster::kubelet_of(std::string_view node) {
  if (!node.starts_with(options_.name_prefix)) return nullptr;
  node.remove_prefix(options_.name_prefix.size());
  if (!node.starts_with('-')) return nullptr;
  node.remove_prefix(1);
  const auto index = parse_number<std::uint32_t>(node);
  const bool plain = node.size() == 1 || !node.starts_with('0');
  return index && plain && *index < size() ? kubelets_[*index].get() : nullptr;
}

void HollowCluster::clean_up(std::function<void(std::size_t removed)> done) {
  boot_timer_.end();
  feed_.reset();
  requests_.drop_waiting();
  for (const auto& kubelet : kubelets_) kubelet->die();
  cleaned_ = std::move(done);
  settle();
}

// What is under way may still make something; only then is it known what there is to remove.
void HollowCluster::settle() {
  const bool making =
      std::ranges::any_of(kubelets_, [](const auto& kubelet) { return kubelet->is_creating(); });
  if (!making) return requests_.when_idle([this] { remove(Remains::Pods); });
  boot_timer_ =
      env_.executor.run_at(env_.clock.now() + std::chrono::milliseconds(50), [this] { settle(); });
}

void HollowCluster::remove(Remains remains) {
  const std::vector<MadeObject>& rooms = workload_.made_rooms();
  const auto then = [this](Remains next) { requests_.when_idle([this, next] { remove(next); }); };
  switch (remains) {
    case Remains::Pods:
      for (const MadeObject& pod : workload_.made_pods()) remove(pod);
      return then(Remains::Nodes);
    case Remains::Nodes:
      for (const auto& kubelet : kubelets_) remove_node(*kubelet);
      return then(Remains::Namespace);
    case Remains::Namespace:
      // The namespace was made first and goes last.
      for (auto room = rooms.rbegin(); room != rooms.rend(); ++room) remove(*room);
      return then(Remains::Nothing);
    case Remains::Nothing:
      return std::exchange(cleaned_, nullptr)(removed_);
  }
}

// The lease first: where owner references are honoured, it would go with its node.
void HollowCluster::remove_node(const HollowKubelet& kubelet) {
  const std::string& name = kubelet.identity().name;
  if (kubelet.made_lease() || kubelet.registration().made_node()) {
    remove(MadeObject{client::lease_path("kube-node-lease", name), ""});
  }
  if (kubelet.registration().made_node()) {
    remove(MadeObject{client::node_path(name), kubelet.registration().uid()});
  } else if (kubelet.registration().may_have_made_node()) {
    remove_if_ours(kubelet);
  }
}

/// Its create was never answered: the node itself tells who made it.
void HollowCluster::remove_if_ours(const HollowKubelet& kubelet) {
  const std::string path = client::node_path(kubelet.identity().name);
  requests_.add({.request = {.target = path},
                 .done = [this, path](const Result<client::Response>& answer, bool) {
                   if (!answer || maker_of(answer->body) != options_.workload.run) return;
                   remove(MadeObject{path, uid_of(answer->body)});
                 }});
}

void HollowCluster::remove(const MadeObject& object) {
  requests_.add(
      {.request = removal_of(object), .done = [this](const Result<client::Response>& answer, bool) {
         if (answer) ++removed_;
       }});
}

NodeIdentity HollowCluster::identity_of(std::uint32_t index) const {
  return {.name = options_.name_prefix + "-" + std::to_string(index),
          .zone = zone_name(index % options_.zones),
          .region = "region-1",
          .run = options_.workload.run,
          .index = index,
          .schedulable = options_.schedulable};
}

}  // namespace nlc::sim

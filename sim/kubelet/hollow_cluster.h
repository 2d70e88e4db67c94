#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "informer/reflector.h"
#include "sim/kubelet/hollow_kubelet.h"
#include "sim/kubelet/hollow_workload.h"

namespace nlc::sim {

struct HollowClusterOptions {
  std::string name_prefix = "hollow";  ///< nodes are `<prefix>-0`, `<prefix>-1`, …
  std::uint32_t nodes = 10;
  std::uint32_t zones = 3;  ///< `zone-a`, `zone-b`, …; node i is in zone i modulo zones
  WorkloadOptions workload;
  KubeletOptions kubelet;
  /// The kubelets boot one after the other over this span; renewals are spread over the whole
  /// renewal interval in any case.
  Duration boot_span{0};
  std::uint64_t seed = 1;
  bool schedulable = true;  ///< else the nodes have a taint that keeps the pods of others away
  /// Nodes that an earlier run left: they are removed with the others, even if the end comes before
  /// their kubelets have booted.
  std::vector<std::string> inherited;
  /// Hears of every pod as well, without a watch of its own; outlives the cluster.
  informer::StoreListener<api::Pod>* pods_watcher = nullptr;
};

/// A handful or many thousands of hollow kubelets and their pods, over one transport: one watch of
/// pods serves them all. Everything on the executor's thread, from construction to destruction.
class HollowCluster final : private informer::StoreListener<api::Pod> {
 public:
  using Env = RetryQueue::Env;

  HollowCluster(Env env, HollowClusterOptions options);
  ~HollowCluster() override;
  HollowCluster(const HollowCluster&) = delete;
  HollowCluster& operator=(const HollowCluster&) = delete;

  HollowKubelet& kubelet(std::uint32_t index) { return *kubelets_.at(index); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(kubelets_.size()); }

  struct Progress {
    std::uint64_t registered = 0;
    std::uint64_t pods_running = 0;
    std::uint64_t pods_deleted =
        0;                  ///< of those that were asked for: by others, and not there again
    bool complete = false;  ///< every node registered, every pod running that was not deleted
  };
  Progress progress() const;
  /// Renewals since the beginning.
  struct Heartbeats {
    std::uint64_t taken = 0;
    std::uint64_t failed = 0;
    std::string failure;  ///< the last one
  };
  const Heartbeats& heartbeats() const { return heartbeats_; }
  /// What the server refuses at the moment; empty when nothing.
  std::string trouble() const;

  /// The machines [0, count) lose or get back their power.
  void kill(std::uint32_t count);
  void revive(std::uint32_t count);

  /// Ends the kubelets and deletes what was made by them and for them, and nothing else. `done`
  /// hears how many objects that were.
  void clean_up(std::function<void(std::size_t removed)> done);
  std::size_t left_to_remove() const { return requests_.left(); }

 private:
  using Slot = informer::Slot;
  void on_stored(Slot slot, const api::Pod& pod, const api::Pod* before) override;
  void on_removed(Slot slot, const api::Pod& pod) override;
  void on_synced() override {}

  void boot_next();
  void count(const Result<api::Lease>& renewal);
  HollowKubelet* kubelet_of(std::string_view node);
  bool is_asked_for(const api::Pod& pod) const;
  void settle();
  enum class Remains { Pods, Nodes, Namespace, Nothing };
  void remove(Remains remains);
  void remove_node(const HollowKubelet& kubelet);
  void remove_if_ours(const HollowKubelet& kubelet);
  void remove(const MadeObject& object);
  NodeIdentity identity_of(std::uint32_t index) const;

  const Env env_;
  const HollowClusterOptions options_;
  Heartbeats heartbeats_;
  KubeletEnv kubelet_env_;
  RetryQueue requests_;
  HollowWorkload workload_;
  std::vector<std::unique_ptr<HollowKubelet>> kubelets_;
  std::uint32_t booted_ = 0;
  Instant started_;
  std::size_t removed_ = 0;
  std::function<void(std::size_t)> cleaned_;
  informer::Store<api::Pod> pods_;
  std::set<std::string> deleted_;  ///< "namespace/name" of pods that were asked for
  std::optional<informer::Reflector<api::Pod>> feed_;
  Timer boot_timer_;
};

std::string zone_name(std::uint32_t zone);

}  // namespace nlc::sim

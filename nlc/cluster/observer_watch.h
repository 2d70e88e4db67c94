#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "client/streams/watch_reader.h"
#include "informer/store.h"
#include "report/node_observer.h"
#include "sim/kubelet/hollow_cluster.h"

namespace nlc::workbench {

/// Watches nodes and leases beside a controller, hears of pods from who watches them already, and
/// tells it all to an observer, which outlives it.
///
/// A watch that ends is opened anew after a second, for ever. On the executor's thread.
class ObserverWatch final : public informer::StoreListener<api::Pod>,
                            private client::WatchListener<api::Node>,
                            private client::WatchListener<api::NodeLease> {
 public:
  ObserverWatch(sim::HollowCluster::Env env, report::NodeObserver& observer)
      : env_(env), observer_(observer) {}

  void open();
  void close();
  /// How often nothing was seen for a while.
  std::size_t gaps() const { return gaps_; }

 private:
  using Slot = informer::Slot;
  void on_stored(Slot, const api::Pod& pod, const api::Pod* before) override;
  void on_removed(Slot, const api::Pod& pod) override;
  void on_synced() override {}

  void on_open() override {}
  void on_end(client::StreamEnd end) override;
  void on_events(std::span<api::WatchEvent<api::Node>> batch, std::optional<Instant>) override;
  void on_events(std::span<api::WatchEvent<api::NodeLease>> batch, std::optional<Instant>) override;

  const sim::HollowCluster::Env env_;
  report::NodeObserver& observer_;
  std::size_t gaps_ = 0;
  Timer reopen_;
  Subscription nodes_;
  Subscription leases_;
};

}  // namespace nlc::workbench

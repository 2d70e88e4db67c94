#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "client/watch_reader.h"
#include "informer/store.h"
#include "sim/experiment/silence_book.h"
#include "sim/kubelet/hollow_errands.h"

namespace nlc::sim {

/// Watches nodes and leases beside a controller, hears of pods from who watches them already, and
/// gives each line of the book to `write` as soon as it is known.
///
/// A watch that ends is opened anew after a second, for ever. On the executor's thread.
class SilenceReport final : public informer::StoreListener<api::Pod>,
                            private client::WatchListener<api::Node>,
                            private client::WatchListener<api::NodeLease> {
 public:
  using World = Errands::World;
  using Write = std::function<void(const std::string& line)>;

  SilenceReport(World world, Duration grace, Write write);
  ~SilenceReport() override = default;
  SilenceReport(const SilenceReport&) = delete;
  SilenceReport& operator=(const SilenceReport&) = delete;

  void on_killed(const std::string& node, std::uint32_t pods);
  void on_revived(const std::string& node);

  /// Writes what is not told yet and the summary, which it returns. Nothing is written afterwards.
  std::string close();

 private:
  using Slot = informer::Slot;
  void on_stored(Slot, const api::Pod& pod, const api::Pod* before) override;
  void on_removed(Slot, const api::Pod& pod) override;
  void on_synced() override {}

  void on_open() override {}
  void on_end(client::StreamEnd end) override;
  void on_events(std::span<api::WatchEvent<api::Node>> batch, std::optional<Instant>) override;
  void on_events(std::span<api::WatchEvent<api::NodeLease>> batch, std::optional<Instant>) override;

  void open();
  void write_new();

  const World world_;
  const Write write_;
  SilenceBook book_;
  Timer reopen_;
  Subscription nodes_;
  Subscription leases_;
};

}  // namespace nlc::sim

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "client/transport.h"
#include "client/watch_reader.h"
#include "runtime/clock.h"

namespace nlc::bench {

/// A watcher beside the controller: when each node's heartbeat moved for the last time, and when
/// its Ready became Unknown, as somebody sees it who watches the cluster.
///
/// To be begun while all nodes live, more than a renewal before the first of them dies. On the
/// executor's thread.
class SilenceWatch final : private client::WatchListener<api::Node>,
                           private client::WatchListener<api::NodeLease> {
 public:
  struct Silence {
    std::string node;
    Instant last_beat;
    Instant unknown;
  };

  SilenceWatch(client::Transport& transport, const Clock& clock);

  /// In the order of their names.
  std::vector<Silence> silences() const;
  std::size_t unknown_count() const { return unknown_count_; }

  /// A watch ended: what is seen is no longer the whole truth.
  bool broken() const { return broken_; }

 private:
  struct Seen {
    std::optional<WallTime> renewed;
    std::optional<WallTime> reported;
    Instant last_beat;
    std::optional<Instant> unknown;
  };

  void on_open() override {}
  void on_end(client::StreamEnd) override { broken_ = true; }
  void on_events(std::span<api::WatchEvent<api::Node>> batch) override;
  void on_events(std::span<api::WatchEvent<api::NodeLease>> batch) override;
  void look_at(const api::Node& node, Instant now);

  const Clock& clock_;
  std::map<std::string, Seen, std::less<>> nodes_;
  std::size_t unknown_count_ = 0;
  bool broken_ = false;
  Lifeline node_stream_;
  Lifeline lease_stream_;
};

}  // namespace nlc::bench

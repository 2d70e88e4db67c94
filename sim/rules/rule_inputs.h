#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/time.h"

namespace nlc::sim {
struct Resource;
}

namespace nlc::sim::rules {

/// What the rules have to know of a day.
struct RuleInputs {
  struct Span {
    Instant from;
    Instant until;
  };
  /// What kubelets send and the server does not take. A node that has a Lease is heard by that,
  /// another by its status.
  enum class Refused : std::uint8_t { Heartbeats, Leases, Statuses };
  struct Outage {
    Instant from;
    Instant until;
    Refused refused = Refused::Heartbeats;
  };
  struct LateAnswers {
    Span during;
    Duration by;
  };
  /// What replicas may not come to know of restores.
  struct Restores {
    /// A backup came back so soon that no write need have been taken in between, nor any missed: to
    /// whoever follows no leases no version shows it.
    bool unnoticed = false;
    /// A backup came back while a replica was stopped or cut off, or had been since it was taken:
    /// by the time it sees anything again the server may be past the version that it knows, and
    /// what came and went is never told. Or a watch told after it of what it had taken back.
    bool missed = false;
    /// A replica had been so since the backup was taken, and was not any more: its watches go on,
    /// and may be told only of what that backup has taken back. Or it was cut off, or is not told
    /// of leases, and watches showed nodes and pods from before the restore to whoever had listed
    /// them after it.
    bool watched_across = false;
  };
  /// A watch told once more of a node as it was, and as if that were new: to whoever only watches
  /// one that is gone is there again, until nodes are listed anew.
  struct ToldAgain {
    std::string node;
    Instant from;
    Instant until;
  };
  struct Lock {
    const Resource* resource = nullptr;  ///< of the Lease, where it has one
    std::string key;
  };

  Duration grace = std::chrono::seconds(50);
  Duration monitor_period = std::chrono::seconds(5);
  double eviction_rate = 0.1;
  double secondary_eviction_rate = 0.01;
  std::size_t large_zone = 50;
  double unhealthy_zone_threshold = 0.55;
  // What `--controllers` lets run.
  bool judges_nodes = true;
  bool evicts_pods = true;
  /// `--hold-pods-ready-in-full-disruption`: while no node is Ready no pod is marked NotReady.
  bool holds_pods_ready = false;
  /// `--enable-taint-manager=false`: pods of a node that is not Ready go after so long.
  std::optional<Duration> pod_timeout = {};
  /// For how long a deletion that is due may wait for its turn: by the client's limit, and by the
  /// pace that an operator wants. Evictions by timeout begin, at the rate of their zone, before it.
  Duration requests_wait{0};
  Duration pods_wait{0};
  /// An outage is nobody's silence from so long after its beginning on. Before that it cannot be
  /// told from a pause between two heartbeats, and a write from before it may be seen as late
  /// (ARCHITECTURE.md "Words": available time).
  Duration blind_after = std::chrono::seconds(10);
  /// In the order of their beginnings, as are `leases_unlisted`.
  std::vector<Outage> outages = {};
  /// When watches of leases stand still or are refused, or some replica cannot reach or list them:
  /// what is renewed then shows in the next list.
  std::vector<Span> leases_unwatched = {};
  /// When a write of a lease is taken at once and answered so much later, and known as late.
  std::vector<LateAnswers> answers_late = {};
  /// When leases cannot be listed, by all or by a replica that cannot reach the server.
  std::vector<Span> leases_unlisted = {};
  /// When watches of all leases stand still, and when a lease that is read by itself is answered as
  /// it was: what is renewed then shows in neither.
  std::vector<Span> lease_watch_held = {};
  std::vector<Span> leases_read_late = {};
  /// When watches of nodes stand still: what is written of them shows when they go on.
  std::vector<Span> node_watch_held = {};
  /// When something may keep who leads from seeing nodes as they are.
  std::vector<Span> nodes_in_doubt = {};
  /// When a webhook puts what it wants into the nodes that are written.
  std::vector<Span> nodes_mutated = {};
  /// When watches of something are refused: it is listed all the time.
  std::vector<Span> watches_refused = {};
  Restores restores = {};
  std::vector<ToldAgain> told_again = {};
  /// A backup came back, or a watch told once more of something: who asks and writes comes to know
  /// it, a standby may not.
  bool told_to_leaders_alone = false;
  /// For what replicas contend; nothing: they do not.
  std::optional<Lock> lock = {};
  /// --kube-api-qps and --kube-api-burst; 0: no limit.
  double requests_per_second = 0;
  std::size_t burst = 0;
  /// Nothing goes wrong from then on; `Instant::max()`: something does to the end, or may.
  Instant peace_begins = Instant::max();
  /// So long after that, and after its last heartbeat, a dead node is marked at the latest.
  Duration marked_within{0};
};

inline bool covers(const std::vector<RuleInputs::Span>& spans, Instant at) {
  return std::ranges::any_of(
      spans, [at](const RuleInputs::Span& span) { return at >= span.from && at <= span.until; });
}

/// What was decided may be on its way for so long: "a moment" in the words of the rules.
inline constexpr Duration under_way = std::chrono::seconds(35);
inline bool was_lately(const std::optional<Instant>& then, Instant at) {
  return then && at - *then <= under_way;
}
/// Writes that are slow to arrive come closer to those after them by so much at most.
inline constexpr Duration arrival = std::chrono::seconds(13);
/// Kubelets look every so often at what the server says of their nodes.
inline constexpr Duration kubelets_look = std::chrono::seconds(10);

}  // namespace nlc::sim::rules

#pragma once

#include <algorithm>
#include <cstddef>
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
  /// When the server took no heartbeat: such time is nobody's silence, from so long after its
  /// beginning on. Before that it cannot be told from a pause between two heartbeats, and a write
  /// from before it may be seen as late (ARCHITECTURE.md "Words": available time).
  Duration blind_after = std::chrono::seconds(10);
  struct Closed {
    Instant from;
    Instant until;
    bool for_leases_alone = false;  ///< statuses were taken: of a node without a Lease those count
  };
  std::vector<Closed> closed;
  /// When watches of leases stand still or are refused, or some replica cannot reach or list them:
  /// what is renewed then shows in the next list.
  struct Span {
    Instant from;
    Instant until;
  };
  std::vector<Span> leases_stand_still;
  /// When watches of all leases stand still, and when a lease that is read by itself is answered as
  /// it was: what is renewed then shows in neither.
  std::vector<Span> lease_watch_held = {};
  std::vector<Span> leases_read_late = {};
  /// When watches of something are refused: it is listed all the time.
  std::vector<Span> watches_refused = {};
  /// A backup came back so soon that no write need have been taken in between, nor any missed: to
  /// whoever follows no leases no version shows it.
  bool restored_at_once = false;
  /// A backup came back while a replica was stopped or cut off: by the time it sees anything again
  /// the server may be past the version that it knows, and what came and went is never told. Or a
  /// watch told after it of what it had taken back.
  bool restored_unseen = false;
  /// A watch told once more of a node as it was, and as if that were new: to whoever only watches
  /// one that is gone is there again, until nodes are listed anew.
  struct ToldAgain {
    std::string node;
    Instant from;
    Instant until;
  };
  std::vector<ToldAgain> told_again;
  /// A backup came back, or a watch told once more of something: who asks and writes comes to know
  /// it, a standby may not.
  bool told_to_leaders_alone = false;
  /// For what replicas contend; nothing: they do not.
  struct Lock {
    const Resource* resource = nullptr;  ///< of the Lease, where it has one
    std::string key;
  };
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

/// Nodes of a zone, by what they say of themselves.
struct ZoneCount {
  std::size_t ready = 0;
  std::size_t others = 0;

  void add(bool is_ready) { ++(is_ready ? ready : others); }
  std::size_t all() const { return ready + others; }
};

/// At what rate nodes that a pause held let their pods go where their zone's is 0 (docs/pause.md).
inline double rate_of_held(const RuleInputs& inputs) {
  return inputs.eviction_rate > 0 ? inputs.eviction_rate : 0.1;
}

/// What was decided may be on its way for so long: "a moment" in the words of the rules.
inline constexpr Duration under_way = std::chrono::seconds(35);
/// Writes that are slow to arrive come closer to those after them by so much at most.
inline constexpr Duration arrival = std::chrono::seconds(13);
/// The same request may come back so often: a lock is tried twice a second, read before it is
/// written, and all of that again when it was refused.
inline constexpr std::size_t most_asked = 50;
inline constexpr Duration asked_within = std::chrono::seconds(10);
/// Beside what is asked for each node and pod, or by the client's limit: lists, watches that begin
/// anew, the lock, which no limit holds back.
inline constexpr std::size_t most_beside_objects = 100;
/// In the same time a replica asks so often in all. Every process begins with the burst of its
/// limit, and some die as they begin.
inline std::size_t most_asked_in_all(const RuleInputs& inputs, std::size_t nodes_and_pods) {
  constexpr std::size_t of_each_object = 10;
  constexpr std::size_t processes = 3;
  if (inputs.requests_per_second == 0) {
    return 3 * most_beside_objects + of_each_object * nodes_and_pods;
  }
  const double by_rate =
      inputs.requests_per_second * std::chrono::duration<double>(asked_within).count();
  return most_beside_objects + processes * inputs.burst + static_cast<std::size_t>(by_rate);
}
/// Kubelets look every so often at what the server says of their nodes.
inline constexpr Duration kubelets_look = std::chrono::seconds(10);

}  // namespace nlc::sim::rules

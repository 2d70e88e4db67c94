#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.h"
#include "runtime/time.h"

/// What becomes of nodes, dying ones above all, as anybody sees it who watches a cluster. Pure.
namespace nlc::report {

/// What can be seen to happen to a node.
enum class Moment : std::uint8_t {
  Unknown,      ///< Ready became Unknown
  NoSchedule,   ///< tainted not-ready or unreachable, effect NoSchedule
  NoExecute,    ///< the same with effect NoExecute
  PodMarked,    ///< once for each pod: marked for deletion, or gone without a mark
  PodNotReady,  ///< once for each pod
  PowerCut,     ///< told by who cut it
  NotReady,     ///< Ready became False
  PowerBack,    ///< told by who gave it back
  Renewed,      ///< the first renewal of its lease after the power came back
  Ready,        ///< Ready became True again
  TaintsGone,   ///< the last of those taints left
  PodGone,      ///< once for each pod
};

/// What a controller does about a machine that fell silent, in the usual order.
inline constexpr std::array marks{Moment::Unknown, Moment::NoSchedule, Moment::NoExecute,
                                  Moment::PodNotReady, Moment::PodMarked};
constexpr std::size_t index_of(Moment moment) { return static_cast<std::size_t>(moment); }
constexpr bool is_of_pods(Moment moment) {
  return moment == Moment::PodMarked || moment == Moment::PodNotReady || moment == Moment::PodGone;
}
/// For people: "NoSchedule", "pods deleted".
std::string_view title_of(Moment moment);
/// For programs, of marks: "no_schedule", "pods_deleted".
std::string name_of(Moment mark);

struct Happening {
  Moment moment;
  std::string node;
  Instant at;
};

/// What moments are made of, in one version of a node.
struct NodeFacts {
  std::optional<api::ConditionStatus> ready;
  bool no_schedule = false;
  bool no_execute = false;
};
NodeFacts facts_of(const api::Node& node);
std::vector<Moment> moments_between(const NodeFacts& before, const NodeFacts& after);

/// Power counts as on again from the first heartbeat after it came back: what was decided while the
/// machine was dead may be seen a little later.
enum class Power : std::uint8_t { On, Off, Back };

/// All that was seen of one node.
struct NodeRecord {
  NodeFacts facts;
  std::optional<WallTime> renewed;        ///< as its lease last said
  std::optional<WallTime> reported;       ///< as its Ready condition last said
  std::optional<Instant> last_heartbeat;  ///< when either of them was last seen to move
  std::optional<Instant> heartbeat_before_cut;
  Power power = Power::On;
  std::size_t pods = 0;                             ///< that were seen on it
  std::map<Moment, std::vector<Instant>> happened;  ///< since its power was cut, if it was

  /// When it happened for that time, from 1 on.
  std::optional<Instant> nth(Moment moment, std::size_t number) const;
  std::optional<Instant> first(Moment moment) const { return nth(moment, 1); }
  std::optional<Instant> last(Moment moment) const { return nth(moment, count(moment)); }
  std::size_t count(Moment moment) const;
};

/// Follows nodes, leases and pods and tells what changed. What is there when it first sees a node's
/// condition is the beginning, not a change; so is a pod's state, unless its node has lost power.
///
/// `now` never runs backwards. Of pods nothing is kept: who feeds them knows what they were before.
class NodeObserver {
 public:
  explicit NodeObserver(std::function<void(const Happening&)> tell) : tell_(std::move(tell)) {}
  NodeObserver(const NodeObserver&) = delete;
  NodeObserver& operator=(const NodeObserver&) = delete;

  void on_node(const api::Node& node, Instant now);
  void on_lease(const api::NodeLease& lease, Instant now);
  /// `before`: the version last seen, if any.
  void on_pod(const api::Pod& pod, const api::Pod* before, Instant now);
  /// `pod`: as last seen.
  void on_pod_gone(const api::Pod& pod, Instant now);

  void power_cut(const std::string& node, Instant now);
  void power_back(const std::string& node, Instant now);

  /// An empty record when nothing was seen of it.
  const NodeRecord& of(const std::string& node) const;
  std::size_t nodes_ready() const;
  std::size_t pods_ready() const { return pods_ready_; }
  /// Nodes that never lost power, and to which something bad happened nevertheless.
  std::vector<std::string> touched_without_cause() const;

 private:
  void note_heartbeat(NodeRecord& record, Instant now);
  void happen(Moment moment, const std::string& node, Instant now);

  std::function<void(const Happening&)> tell_;
  std::map<std::string, NodeRecord, std::less<>> nodes_;
  std::size_t pods_ready_ = 0;
};

}  // namespace nlc::report

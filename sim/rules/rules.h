#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/objects.h"
#include "runtime/time.h"
#include "sim/apiserver/storage.h"
#include "sim/rules/operator_word.h"

namespace nlc::sim::rules {

/// One of the rules, and how it was broken.
struct Broken {
  std::string rule;  ///< one of `names()`
  std::string what;
};

/// What the rules have to know of a day.
struct Terms {
  Duration grace = std::chrono::seconds(50);
  Duration monitor_period = std::chrono::seconds(5);
  double eviction_rate = 0.1;
  double secondary_eviction_rate = 0.01;
  std::size_t large_zone = 50;
  double unhealthy_zone_threshold = 0.55;
  // What `--controllers` lets run.
  bool judges_nodes = true;
  bool evicts_pods = true;
  /// `--enable-taint-manager=false`: pods of a node that is not Ready go after so long.
  std::optional<Duration> pod_timeout = {};
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
};

/// What must hold on every day, whatever goes wrong around the controller, judged by what the
/// server committed and by nothing that the controller says. Shares no code with `controller/`:
/// the same mistake would have to be made twice.
///
///   silent        A node is marked Unknown, or tainted as unreachable, only when its kubelet's
///                 last heartbeat that the server took is as old as the grace period, in time in
///                 which the server took heartbeats. A node that was silent so long until a moment
///                 ago may still be marked; so may one whose last heartbeat went with a restore of
///                 etcd, if no other follows it in time. NoSchedule follows Ready Unknown, whose
///                 kubelet may renew its lease and be unable to say more.
///   ready         No pod of a Ready node is deleted for taints of ours. Where one of others stood
///                 until a moment ago it may have been for that. Nor is one deleted in the ten
///                 seconds after the server came back, or another state of it, whose node says in
///                 that time that it is Ready: it could not say so before.
///   tolerations   A pod is deleted only where a NoExecute taint stands that it does not tolerate,
///                 or has stood there for as long as it tolerates it. Of a node that is gone the
///                 last taints count (spec/taint-eviction.md "Node events"). A taint has stood
///                 since its `timeAdded`, by which alone a process that comes later knows it: that
///                 is written before the server takes the taint, so a pod may go earlier by as long
///                 as the write was on its way, `arrival` at most.
///   timeouts      With `--enable-taint-manager=false` no node gets a NoExecute taint, and a pod is
///                 deleted only when its node has been silent, or not Ready, for as long as its
///                 timeout.
///   others        What others wrote on a node stays: their taints, `unschedulable`, the Ready
///                 status of a kubelet unless it becomes Unknown.
///   pace          Nodes of a zone get NoExecute taints no faster than its rate, which is the
///                 secondary one, or none at all, once the zone is partly disrupted: in any stretch
///                 of time by the highest that was its rate in it.
///   disruption    While no node of the cluster is Ready none is given a NoExecute taint, and no
///                 pod is deleted for taints of ours.
///   paused        While the operator pauses evictions (docs/pause.md), for longer than a moment,
///                 no pod is deleted and no NoExecute taint given: of all nodes, of one by its
///                 zone, its labels or its annotation.
///   pods' pace    No more pods are deleted in any stretch of time than the operator allows.
///   one leader    Never may two replicas write at one moment.
///   only watching Who only observes writes to no node and to no pod, and what `--controllers`
///                 switches off does not either.
///
/// "A moment", as long as what was decided may be on its way, is `under_way`.
class Rules {
 public:
  enum class Author { Controller, SomebodyElse };

  static constexpr Duration under_way = std::chrono::seconds(35);
  /// While a watch stands still leases are listed every five seconds: what was heard just before
  /// the server was closed is seen after, and a short time without heartbeats is no gap then.
  static constexpr Duration seen_late = std::chrono::seconds(5);
  /// Writes that are slow to arrive come closer to those after them by so much at most.
  static constexpr Duration arrival = std::chrono::seconds(13);
  static const std::vector<std::string>& names();

  Rules(const Storage& storage, const Clock& clock, Terms terms);

  /// Takes in what was written since the last call, all of it by one author.
  void catch_up(Author author);
  /// Another state took the place of the present one, and its history with it.
  void begin_anew();
  /// Those that may write now, in any order; a life of a replica has a name of its own.
  void leaders(const std::vector<std::string>& lives);
  /// One that only observes has written to a node or a pod.
  void observer_wrote(const std::string& replica);

  /// The first that was broken; nothing more is judged then.
  const std::optional<Broken>& broken() const { return broken_; }

  /// When the controller last changed a node or a pod.
  Instant last_write() const { return last_write_; }
  /// The last heartbeat of that node that the server took.
  std::optional<Instant> heard(const std::string& node) const;
  /// When a node of that zone was last given a NoExecute taint.
  std::optional<Instant> last_granted(const std::string& zone) const;
  /// When a pod of that zone was last deleted.
  std::optional<Instant> last_left(const std::string& zone) const;
  /// Evictions of that node were paused at some time.
  bool was_paused(const std::string& node) const { return ever_paused_.contains(node); }
  const Terms& terms() const { return terms_; }

 private:
  /// What was right only if it stays so for a while.
  struct Early {
    Instant until;
    std::string what;
  };
  struct NodeSeen {
    api::Node node;
    std::optional<Instant> no_execute_since;  ///< some taint of that effect stands since then
    std::optional<Instant> no_execute_until;  ///< the last of them went then
    std::optional<Instant> others_no_execute_until;  ///< one of others, seen last then
    std::optional<Instant> ready_since;
    std::optional<Instant> not_ready_since;
    bool evicted = false;               ///< by timeout, since it was Ready last
    std::optional<Instant> gone_since;  ///< there is no such node any more
    std::optional<Instant> paused_since;
    std::optional<Early> early;
  };
  struct Heartbeats {
    Instant last;
    bool by_lease = false;
    Duration gap{0};  ///< the longest silence that ended within the last moment
    std::optional<Instant> gap_ended;
    bool perhaps_lost = false;          ///< etcd has been restored since the last
    std::optional<std::string> mark{};  ///< made since then, and too early if another follows
  };

  void read_leases(Author author);
  void read_policy();
  void read_nodes(Author author);
  void read_pods(Author author);
  Heartbeats& heartbeat(const std::string& node, Instant at);
  void judge(const NodeSeen* before, const api::Node& after, Instant at);
  void judge_mark(const api::Node& node, const std::string& what, Instant at);
  void judge_grant(const api::Node& node, Instant at);
  void judge_pace(const std::string& zone, Instant at);
  void judge_deletion(const api::Pod& pod, Instant at);
  void judge_by_taints(const api::Pod& pod, NodeSeen& seen, Instant at);
  void judge_by_timeout(const api::Pod& pod, NodeSeen& seen, Instant at);
  void judge_pause(const NodeSeen& seen, const std::string& what, bool by_node, Instant at);
  void judge_pods_pace(Instant at);
  void follow_word(Instant at);
  void follow_pause(NodeSeen& seen, Instant at);
  Instant tainted_since(const api::Node& node, Instant at) const;
  std::optional<Instant> came_back(Instant at) const;
  void store(api::Node node, Instant at);
  void count_zones(Instant at);
  Duration open_time(const Heartbeats& known, Instant until) const;
  void break_rule(std::string rule, std::string what);

  const Storage& storage_;
  const Clock& clock_;
  const Terms terms_;
  std::uint64_t version_ = 0;
  std::map<std::string, NodeSeen> nodes_;
  std::map<std::string, Heartbeats> heartbeats_;
  struct ZoneSeen {
    std::size_t ready = 0;
    std::size_t others = 0;
    std::optional<Instant> partial_since;
    std::optional<Instant> partial_until;  ///< the last time that is over
    std::vector<Instant> grants;
    std::optional<Instant> last_left;
  };
  double rate(const ZoneSeen& seen, Instant from, Instant at) const;
  std::map<std::string, ZoneSeen> zones_;
  OperatorWord word_;
  std::optional<Instant> all_paused_since_;
  std::optional<Instant> limited_since_;  ///< to this pace, or a smaller one before it
  std::vector<Instant> left_;             ///< pods, since then
  std::set<std::string> ever_paused_;
  std::optional<Instant> none_ready_since_;
  std::optional<Instant> restored_;
  std::set<std::string> led_;  ///< lives that ever might write
  std::vector<Instant> takeovers_;
  Instant last_write_ = Instant::min();
  std::optional<Broken> broken_;
};

}  // namespace nlc::sim::rules

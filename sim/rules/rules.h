#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/objects.h"
#include "sim/apiserver/registry/storage.h"
#include "sim/rules/asked.h"
#include "sim/rules/deadline_rules.h"
#include "sim/rules/first_breach.h"
#include "sim/rules/lock_rules.h"
#include "sim/rules/node_seen.h"
#include "sim/rules/operator_rules.h"
#include "sim/rules/pod_rules.h"
#include "sim/rules/request_rules.h"
#include "sim/rules/returned_objects.h"
#include "sim/rules/rule_inputs.h"
#include "sim/rules/silence.h"
#include "sim/rules/zone_rules.h"

namespace nlc::sim::rules {

/// What must hold on every day, whatever goes wrong around the controller, judged by what the
/// server was asked and what it committed, and by nothing that the controller says but for `one
/// leader`. Shares no code with `controller/`: the same mistake would have to be made twice.
///
///   silent        A node is marked Unknown, or tainted as unreachable, only when its kubelet's
///                 last heartbeat that the server took is as old as the grace period, in time in
///                 which the server took heartbeats. Who began to watch in the last ten seconds of
///                 a time in which it took none cannot tell these from a pause. What is renewed
///                 behind a watch of leases that stands still is seen up to five seconds later:
///                 such a time is noticed later then, and where single leases are answered as they
///                 were a node may be marked before that. A node that was silent so long until a
///                 moment ago may still be marked; so may one whose last heartbeat went with a
///                 restore of etcd, if no other follows it in time. NoSchedule follows Ready
///                 Unknown, whose kubelet may renew its lease and be unable to say more.
///   ready         No pod of a Ready node is deleted for taints of ours. Where one of others stood
///                 until a moment ago it may have been for that. Nor is one deleted in the ten
///                 seconds after the server came back, or another state of it, or the first of all
///                 nodes is Ready again, whose node says in that time that it is Ready, unless its
///                 kubelet said something else since the outage began: it could not say so before.
///   tolerations   A pod is deleted only where a NoExecute taint stands that it does not tolerate,
///                 or has stood there for as long as it tolerates it, or where one of others did
///                 until a moment ago. Of a node that is gone the last taints count
///                 (spec/taint-eviction.md "Node events"). A taint has stood since its `timeAdded`,
///                 by which alone a process that comes later knows it: that is written before the
///                 server takes the taint, so a pod may go earlier by as long as the write was on
///                 its way, `arrival` at most. What stands before and after a restore has stood all
///                 the time, also without such a date.
///   timeouts      With `--enable-taint-manager=false` no node gets a NoExecute taint, and a pod is
///                 deleted only when its node has been silent, or not Ready, for as long as its
///                 timeout, or was silent so long until a moment ago.
///   others        What others wrote on a node stays: their taints, `unschedulable`, the Ready
///                 status of a kubelet unless it becomes Unknown. Not while a webhook puts what it
///                 wants into nodes.
///   pace          Nodes of a zone get NoExecute taints no faster than its rate, which is the
///                 secondary one, or none at all, once the zone is partly disrupted: in any stretch
///                 of time by the highest that was its rate in it, and one more for each replica
///                 that leads for the first time in it. One that is gone and that a watch told of
///                 again counts in its zone until nodes are listed anew, and one that may be marked
///                 counts as not Ready before it is.
///   disruption    While no node of the cluster is Ready none is given a NoExecute taint, and no
///                 pod is deleted for taints of ours; where all are excluded from disruption what
///                 was before goes on, unless something may have kept who leads from seeing it
///                 begin. One that is gone and that a watch told of again as Ready counts until
///                 nodes are listed anew, and what watches of nodes do not tell is known when they
///                 go on.
///   paused        While the operator pauses evictions (docs/pause.md), for longer than a moment,
///                 no pod is deleted and no NoExecute taint given: of all nodes, of one by its
///                 zone, its labels or its annotation. Nor is a pod deleted in a zone that is
///                 partly or fully disrupted while he holds them there, unless something may have
///                 kept who leads from seeing its nodes as they are, or this one was elsewhere or
///                 another before.
///   pods' pace    No more pods are deleted in any stretch of time than the operator allows, in all
///                 and in each zone, where those of nodes that were elsewhere or others before, or
///                 are gone, do not count.
///   one leader    Never may two replicas write at one moment, by their own word; but where a
///                 restore freed the lock of who held it he may, until he renews it or comes to his
///                 end, beside one that has not looked at the lock since it was claimed
///                 (docs/decisions/0032-a-claim-may-be-erased-before-it-is-read.md).
///   lock          Who contends writes to a node or a pod only while the lock is its own: the
///                 server has committed a record that names it, no longer ago than that says it
///                 lasts, and none since that names another, or nobody. Where the lock was
///                 restored, deleted, or written by somebody else, who was named before may go on
///                 to the end of his record: he cannot know it, nor others of him.
///   uid           A write to a node or a pod names its uid: another of the same name is never
///                 meant.
///   in time       In a time in which nothing goes wrong a node that is silent is Unknown, tainted
///                 unreachable:NoSchedule, and none of its pods Ready, so long after the beginning
///                 of that time and after its last heartbeat: two grace periods, for who comes to
///                 know of it, or of the first Ready node, begins one anew; as long as it may take
///                 until somebody leads; two minutes for lists, holds and back-offs, the longest
///                 back-off where a write was refused for good; and what a client limit makes of
///                 all that is due. Not where an operator pauses it, nor of one that no kubelet has
///                 ever said anything of; nor after a backup that brought something back, where a
///                 replica had been cut off since it was taken: nobody may ever be told of that.
///   requests      Whatever goes wrong, no replica sends the same request, verb and object, more
///                 than fifty times within ten seconds, where each page of a list is another; nor
///                 more in all than 300 and ten for each node and pod, or than its limit lets
///                 through, three bursts, and 150.
///   only watching Who only observes writes to no node and to no pod, and what `--controllers`
///                 switches off does not either.
///
/// "A moment", as long as what was decided may be on its way, is `under_way`.
class Rules {
 public:
  enum class Author { Controller, SomebodyElse };

  static const std::vector<std::string>& names();

  Rules(const Storage& storage, const Clock& clock, RuleInputs inputs);
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;

  /// Takes in what was written since the last call, all of it by one author.
  void catch_up(Author author);
  /// Another state took the place of the present one, and its history with it.
  void begin_anew();
  struct Leader {
    std::string life;       ///< of a replica, each with a name of its own
    std::string identity;   ///< in the election; empty: it contends for no lock that is judged
    Instant watched_since;  ///< when it began to follow the cluster
  };
  /// Those that may write now, in any order.
  void leaders(const std::vector<Leader>& leaders);
  /// A replica sent that, in the order of time, and after whatever was committed before it.
  void asked(const Asked& request);
  /// What should have been done by now.
  void judge_deadlines();
  /// One that only observes has written to a node or a pod.
  void observer_wrote(const std::string& replica);

  /// The first that was broken; nothing more is judged then.
  const std::optional<Broken>& broken() const { return breach_.broken(); }

  /// When the controller last changed a node or a pod.
  Instant last_write() const { return last_write_; }
  const Silence& silence() const { return silence_; }
  const ZoneRules& zones() const { return zones_; }
  bool was_paused(const std::string& node) const { return operator_.was_paused(node); }
  /// When a node that is there was given the first of the NoExecute taints that stand.
  std::optional<Instant> no_execute_since(const std::string& node) const;
  const RuleInputs& inputs() const { return inputs_; }
  /// A backup brought back what was deleted since it was taken, where a replica may never be told.
  bool something_came_back_unseen() const {
    return inputs_.restores.watched_across && returned_.any();
  }

 private:
  void read_lock(Author author);
  void read_leases(Author author);
  void read_policy();
  void read_nodes(Author author);
  void read_node(const HistoryEvent& event, Author author);
  void read_pods(Author author);
  void begin_with(api::Node node, Instant now);
  void begin_silence(const std::string& node, bool is_new, Instant now);
  void judge(const NodeSeen* before, const api::Node& after, Instant at);
  void judge_marks(const api::Node& before, const api::Node& after, Instant at);
  void judge_what_others_wrote(const api::Node& before, const api::Node& after);
  void judge_grant(const api::Node& node, Instant at);
  void follow_policy(const api::ConfigMap* policy, Instant at);
  Instant tainted_since(const api::Node& node, Instant at) const;
  void store(api::Node node, Instant at);
  void follow_ready(NodeSeen& seen, bool ready, Instant at);

  const Storage& storage_;
  const Clock& clock_;
  const RuleInputs inputs_;
  std::uint64_t version_ = 0;
  FirstBreach breach_;
  NodesSeen nodes_;
  Silence silence_{inputs_, breach_};
  ZoneRules zones_{inputs_, nodes_, silence_, breach_};
  OperatorRules operator_{inputs_, breach_};
  PodRules pods_{{.inputs = inputs_,
                  .nodes = nodes_,
                  .silence = silence_,
                  .zones = zones_,
                  .policy = operator_,
                  .breach = breach_}};
  DeadlineRules deadlines_{{.storage = storage_,
                            .inputs = inputs_,
                            .nodes = nodes_,
                            .silence = silence_,
                            .breach = breach_}};
  ReturnedObjects returned_{storage_, nodes_};
  LockRules lock_{inputs_, breach_};
  RequestRules requests_{inputs_, breach_};
  std::set<std::string> led_;  ///< lives that ever might write
  Instant last_write_ = Instant::min();
  std::size_t most_nodes_and_pods_ = 0;
};

}  // namespace nlc::sim::rules

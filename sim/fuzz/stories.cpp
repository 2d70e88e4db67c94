#include "sim/fuzz/stories.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/go_duration.h"
#include "sim/fuzz/draw.h"

namespace nlc::sim::fuzz {
namespace {

using namespace std::chrono_literals;

/// Of the days that have any.
constexpr double story_share = 0.12;
/// The numbers of stories are others than those of the rest of their day.
constexpr std::uint64_t apart = 0x9e3779b97f4a7c15;

constexpr const char* lock = "node-lifecycle-controller";
constexpr const char* zone_label = "topology.kubernetes.io/zone: ";
constexpr const char* taint_writes = "fail_api: {verb: PATCH, resource: nodes, name: 'story-*'";

/// One function for each story.
class Stories {
 public:
  Stories(Day& day, const std::vector<std::string>& replicas, Span span)
      : draw_(day.seed ^ apart), day_(day), replicas_(replicas), span_(span) {}

  void add();

  // --- a zone dies, and its nodes wait for one another

  /// All of them at once, with a node elsewhere that lives: so they leave at the rate of the zone,
  /// which is slow.
  std::vector<std::string> zone_dies(Duration at, int count) {
    for (Line& flag : day_.flags) {
      std::string& text = flag.texts.front();
      if (text.starts_with("node-eviction-rate")) text = "node-eviction-rate: 0.1";
    }
    lives(new_node("elsewhere"), 0s, day_.ends);
    std::vector<std::string> nodes;
    for (; count > 0; --count) {
      nodes.push_back(new_node());
      lives(nodes.back(), 0s, at + draw_.time(0s, 2s));
    }
    return nodes;
  }
  /// Nobody knows what became of their taints before watches tell.
  void unclear_taints() {
    const Duration at = time(span_.from, span_.until - 2min);
    zone_dies(at, draw_.whole(4, 7));
    step(at + 25s, span_.until,
         std::string(taint_writes) + ", respond: {code: 504}, applied: true}");
  }
  /// Their taints hang, one after the other, until the server answers again.
  void hanging_taints() {
    const Duration at = time(span_.from, span_.until - 3min);
    zone_dies(at, draw_.whole(8, 12));
    step(at + 25s, span_.until, std::string(taint_writes) + ", respond: hang}");
  }
  /// Some of them live, and can say so by their leases alone.
  void leases_in_the_queue() {
    const Duration at = time(span_.from, span_.until - 2min);
    const std::vector<std::string> nodes = zone_dies(at, draw_.whole(4, 9));
    for (int count = draw_.whole(1, 3); count > 0; --count) {
      const std::string& which = draw_.one_of(nodes);
      step(at + draw_.time(40s, 70s), span_.until,
           "every: 10s, renew_lease: {node: " + which + "}");
    }
  }

  /// Who leads is cut off while they wait, and leads again.
  void queue_of_who_leads_again() {
    const Duration at = time(span_.from, span_.until - 2min);
    zone_dies(at, draw_.whole(4, 9));
    const Duration from = at + draw_.time(45s, 60s);
    const Duration until = std::min(span_.until, from + draw_.time(20s, 50s));
    for (const std::string& replica : replicas_) {
      step(from, until, "link: {state: down" + replica_words(replica) + "}");
    }
  }

  /// Whoever leads loses the lock while they wait, hears of all that happens, and leads again.
  void queue_of_who_lost_the_lock() {
    const Duration at = time(span_.from, span_.until - 2min);
    zone_dies(at, draw_.whole(5, 9));
    const Duration from = at + draw_.time(50s, 65s);
    step(from, std::min(span_.until, from + draw_.time(15s, 45s)),
         "fail_api: {verb: PUT, resource: [leases, configmaps, endpoints], name: " +
             std::string(lock) + ", respond: {code: 503}}");
  }

  // --- who comes back when nobody can see it

  /// The node is Ready again, and its watch does not tell; nor does its lease, where that stays as
  /// it is.
  void unseen_return() {
    lives(new_node("elsewhere"), 0s, day_.ends);
    const std::string node = new_node();
    const Duration dies = time(span_.from, span_.until - 3min);
    const Duration back = dies + draw_.time(50s, 100s);
    lives(node, 0s, dies);
    if (draw_.chance(0.5)) {
      lives(node, back, day_.ends);
    } else {
      step(back, day_.ends, "every: 10s, heartbeat: {node: " + node + ", ready: 'True'}");
    }
    for (const char* seconds : {"30", "90", "90"}) new_pod(node, seconds);
    step(back - 2s, std::min(span_.until, back + draw_.time(60s, 120s)), "cache: {hold: nodes}");
  }

  /// The controller ends with the taint that it writes, nobody can write for a while, the node
  /// comes back, and the next controller knows of nothing but the taint.
  void start_after_an_outage() {
    lives(new_node("elsewhere"), 0s, day_.ends);
    const std::string node = new_node();
    const Duration dies = time(span_.from, span_.until - 150s);
    const Duration away = dies + draw_.time(70s, 100s);
    const Duration again = std::min(span_.until - 2s, away + draw_.time(20s, 40s));
    lives(node, 0s, dies);
    lives(node, away + draw_.time(1s, 10s), day_.ends);
    new_pod(node);
    new_pod(node, "30");
    for (const std::string& replica : replicas_) {
      const std::string words = replica_words(replica);
      step(dies, away,
           "times: 1, before_request: {verb: PATCH, resource: nodes, name: " + node +
               "}, kill: controller" + words);
      step(again - draw_.time(0s, 8s), "start: controller" + words);
    }
    step(away, again, "read_only: {}");
  }

  /// A taint of others stands for a while beside ours, which its pods tolerate for ever: what ran
  /// for the one ends with it.
  void taint_that_goes() {
    lives(new_node("elsewhere"), 0s, day_.ends);
    const std::string node = new_node();
    const Duration dies = time(span_.from, span_.until - 2min);
    lives(node, 0s, dies);
    for (int count = draw_.whole(1, 3); count > 0; --count) {
      pod_with(node,
               "[{key: example.com/drained, operator: Exists, effect: NoExecute, "
               "tolerationSeconds: 90}, {key: node.kubernetes.io/unreachable, operator: "
               "Exists, effect: NoExecute}]",
               "unreachable for ever");
    }
    const Duration taints = dies + draw_.time(65s, 85s);
    const std::string of = "{kind: Node, name: " + node;
    step(taints, "apply_patch: " + of + ", add_taint: 'example.com/drained:NoExecute'}");
    step(taints + draw_.time(5s, 30s),
         "patch: " + of +
             ", merge: {spec: {taints: [{key: node.kubernetes.io/unreachable, effect: "
             "NoExecute}, {key: node.kubernetes.io/unreachable, effect: NoSchedule}]}}}");
  }

  // --- what a backup brings back

  /// A taint that its node has outlived, over pods that had to wait for their turn.
  void taint_brought_back() {
    const std::string node = new_node();
    lives(new_node(), 0s, day_.ends);
    const Duration dies = time(span_.from, span_.until - 130s);
    const Duration backup = dies + draw_.time(52s, 65s);
    const Duration back = backup + draw_.time(1s, 10s);
    const Duration restore = std::min(span_.until - 5s, back + draw_.time(12s, 40s));
    lives(node, 0s, dies);
    lives(node, back, day_.ends);
    for (int count = 0; count < 4; ++count) new_pod(node);
    step(span_.from, "apply: {" + policy_words("pod-evictions-per-second: '0.05'") + "}");
    step(span_.until + 25s, "apply: {" + policy_words("pause: none") + "}");
    step(backup, "backup: {}");
    step(restore, "restore: {down: 0s, bump_revision: true}");
    step(restore - 1s, std::min(span_.until, restore + 20s),
         "fail_api: {verb: LIST, resource: [nodes, pods, leases], delay: " +
             std::string(draw_.one_of({"1500ms", "2500ms"})) + "}");
  }

  /// A pod that tolerates nothing was evicted a moment after the backup. Nobody hears the first
  /// heartbeat of its node, which is lost with the restore: until the next one both are as they
  /// were then. Where no write of ours is taken nothing but what is listed shows the restore.
  void eviction_undone() {
    lives(new_node("elsewhere"), 0s, day_.ends);
    neighbours();
    const std::string node = new_node();
    const std::string pod = new_pod(node);
    const Duration grace = grace_period();
    const Duration dies = time(span_.from, span_.until - grace - 60s);
    const Duration back = dies + grace + draw_.time(20s, 45s);
    const Duration restore = back + draw_.time(200ms, 1500ms);
    lives(node, 0s, dies);
    lives(node, back, day_.ends);
    const std::string deletion = "before_request: {verb: DELETE, resource: pods, name: " + pod;
    step(dies, back, "times: 1, " + deletion + "}, backup: {}");
    if (draw_.chance(0.5)) {
      step(dies, span_.until,
           "fail_api: {resource: leases, name: " + std::string(lock) +
               "-probe, respond: {code: 403}}");
    }
    for (const std::string& replica : replicas_) {
      step(back - 500ms, restore + 500ms, "link: {state: down" + replica_words(replica) + "}");
    }
    step(restore, "restore: {down: 0s}");
  }

  /// Others, by whose heartbeats the server comes as far again as it was.
  void neighbours() {
    for (int count = draw_.whole(4, 9); count > 0; --count) {
      lives(new_node(), 0s, day_.ends);
    }
  }
  /// What users do and a restore undoes.
  std::string user_change(const std::string& node, const std::string& pod) {
    const std::array<std::string, 4> changes{
        "delete: {kind: Pod, name: " + pod + ", gracePeriodSeconds: 0}",
        "delete: {kind: Node, name: " + node + "}",
        "apply_patch: {kind: Node, name: " + node + ", add_taint: 'example.com/drained:NoExecute'}",
        "patch: {kind: Node, name: " + node + ", merge: {spec: {unschedulable: true}}}"};
    return changes[static_cast<std::size_t>(draw_.small(0, 3))];
  }

  /// What happened after the backup has not happened, and whoever is cut off does not see it. A
  /// node that dies later shows what is believed of it.
  void restored_while_cut_off() {
    neighbours();
    const std::string node = new_node();
    const std::string pod = new_pod(node);
    const Duration backup = time(span_.from, span_.until - 40s);
    const Duration restore = backup + draw_.time(4s, 8s);
    const Duration heals = std::min(span_.until, restore + draw_.time(15s, 1min));
    lives(node, 0s, time(restore + 20s, span_.until));
    step(backup, "backup: {}");
    step(backup + 1s, user_change(node, pod));
    const std::string how(draw_.one_of({"down", "silent"}));
    for (const std::string& replica : replicas_) {
      step(backup + 2s, heals, "link: {state: " + how + replica_words(replica) + "}");
    }
    step(restore, "restore: {down: 0s}");
  }
  /// Nor does whoever has seen the first of two, when lists are slow.
  void restored_twice() {
    neighbours();
    const std::string node = new_node();
    const std::string pod = new_pod(node);
    const Duration backup = time(span_.from, span_.until - 40s);
    const Duration first = backup + draw_.time(1s, 3s);
    const Duration between = first + draw_.time(1s, 2s);
    const Duration second = between + draw_.time(1s, 3s);
    lives(node, 0s, time(second + 20s, span_.until));
    step(backup, "backup: {}");
    step(first, "restore: {down: 0s}");
    step(between, user_change(node, pod));
    step(between, second + 12s, slow_lists());
    step(second, "restore: {down: 0s}");
  }
  std::string slow_lists() {
    return "fail_api: {verb: LIST, resource: leases, delay: " +
           std::string(draw_.one_of({"5s", "8s"})) + "}";
  }
  /// Nothing but the leader's own lease shows it: what is lost began with a write of that, and ends
  /// before the next. An observer's says nothing to the leader.
  void restored_between_renewals() {
    neighbours();
    const std::string node = new_node();
    const Duration from = time(span_.from, span_.until - 50s);
    const std::string halves(draw_.one_of({"leases", "[leases, configmaps, endpoints]"}));
    const auto before_renewals = [&](const std::string& times, const char* what) {
      step(from, from + 22s,
           "times: " + times + ", before_request: {verb: PUT, resource: " + halves + ", name: [" +
               lock + ", " + lock + "-probe]}, " + what);
    };
    lives(node, 0s, time(from + 45s, span_.until));
    before_renewals("1", "backup: {}");
    before_renewals("2", "restore: {down: 0s}");
    step(from, from + 30s, slow_lists());
    for (Duration offset = 500ms; offset < 10s; offset += offset / 2) {
      step(from + offset,
           "delete: {kind: Pod, name: " + new_pod(node) + ", gracePeriodSeconds: 0}");
    }
  }

  /// What a cache kept back is lost before anybody has seen it, and so may be what came after that.
  void restored_behind_a_cache() {
    neighbours();
    const std::string node = new_node();
    const std::string pod = new_pod(node);
    const Duration backup = time(span_.from + 5s, span_.until - 45s);
    const Duration restore = backup + draw_.time(1s, 6s);
    const Duration again = restore + draw_.time(500ms, 6s);
    lives(node, 0s, time(again + 20s, span_.until));
    step(backup - draw_.time(500ms, 5s), std::min(span_.until, restore + draw_.time(0s, 30s)),
         "cache: {hold: " + std::string(draw_.one_of({"leases", "nodes", "pods"})) + "}");
    step(backup, "backup: {}");
    step(backup + 500ms, user_change(node, pod));
    step(restore, "restore: {down: 0s}");
    if (draw_.chance(0.5)) return;
    step(restore + 300ms, user_change(node, new_pod(node)));
    step(again, "restore: {down: 0s}");
  }

  /// Nobody hears its first heartbeat after a while, which is lost with the restore; the next one
  /// comes when its grace is over. One that was heard is lost as well: by that the restore shows.
  void restored_before_it_was_heard() {
    neighbours();
    const std::string node = new_node();
    const Duration grace = grace_period();
    const Duration again = time(span_.from + grace + 10s, span_.until - 15s);
    const Duration last = again - grace + draw_.time(4s, 7s);
    lives(node, last % 10s + 1ms, last + 1s);
    lives(node, again, day_.ends);
    lives(new_node(), (again - 2500ms) % 10s + 1ms, day_.ends);
    const Duration restore = again + draw_.time(200ms, 1500ms);
    step(again - 5s, "backup: {}");
    for (const std::string& replica : replicas_) {
      step(again - 500ms, restore + 500ms, "link: {state: down" + replica_words(replica) + "}");
    }
    step(restore, "restore: {down: 0s}");
  }

  /// One server of several does not follow: all that it tells of leases is of a moment ago, for
  /// longer than a grace period, while what is written is taken. Streams begin there as well, wait,
  /// or cannot be opened; nothing in its answers shows it. One node dies meanwhile.
  void late_server() {
    neighbours();
    const Duration from = time(span_.from + 20s, span_.until - 100s);
    const Duration until = std::min(span_.until, from + draw_.time(100s, 150s));
    lives(new_node(), 0s, time(from, until));
    const std::string of_then =
        "resource: leases, as_of: " + go_duration(from - draw_.time(0s, 15s));
    const std::array<std::string, 3> streams{
        "stale_reads: {verb: WATCH, " + of_then + "}", "cache: {hold: leases}",
        "fail_api: {verb: WATCH, resource: leases, respond: {code: 503}}"};
    step(from, until, "stale_reads: {" + of_then + "}");
    step(from, until, draw_.one_of(streams));
    step(from, "end_watches: {resource: leases, how: " +
                   std::string(draw_.one_of({"closed", "cut", "expired"})) + "}");
  }

  /// Nodes that are gone, and that a watch tells of once more, make their zone partly disrupted.
  void ghosts_in_a_zone() {
    lives(new_node(), 0s, day_.ends);
    const std::string dead = new_node();
    const Duration at = time(span_.from, span_.until - 20s);
    lives(dead, 0s, time(span_.from, at + 10s));
    for (int count = 3; count > 0; --count) {
      const std::string ghost = "story-ghost-" + std::to_string(count);
      for (const std::string& words : ghost_words(ghost, zone_label + zone(), at)) step(words);
    }
  }

  // --- who leads

  /// Between two leaders the lock is free, which is when the backup is made; who leads at the
  /// restore does not hear of it.
  void free_lock_brought_back() {
    const std::string first = replica_words(replicas_[0]);
    const std::string second = replica_words(replicas_[1]);
    const Duration change = time(span_.from, span_.until - 35s);
    const Duration restore = time(change + 20s, span_.until - 15s);
    step(change, "stop: controller" + first);
    step(change, change + 12s,
         "times: 1, before_request: {verb: PUT, resource: leases, name: " + std::string(lock) +
             second + "}, backup: {}");
    step(change + 12s, "start: controller" + first);
    step(restore - 500ms, std::min(span_.until, restore + 30s),
         "link: {state: silent" + second + "}");
    step(restore, "restore: {down: 0s}");
  }
  /// Its renewal is answered late, later ones are refused, and of the next leader it does not hear.
  void late_answer_to_a_renewal() {
    const std::string first = replica_words(replicas_[0]);
    const Duration late = time(span_.from + 1s, span_.until - 30s);
    const std::string renewals =
        "fail_api: {verb: PUT, resource: leases, name: " + std::string(lock) + first;
    step(late, late + 10s, renewals + ", delay: 3s, applied: true, times: 1}");
    step(late, late + 25s, renewals + ", respond: {code: 503}}");
    step(late - 1s, late + 25s,
         "fail_api: {verb: WATCH, resource: leases" + first + ", respond: hang}");
    step(late - 500ms, "end_watches: {resource: leases, how: closed}");
  }

 private:
  /// A node of the story, Ready at first, in that zone or in the one of the story; its name.
  std::string new_node(std::string in = {}) {
    if (in.empty()) in = zone();
    std::string name = "story-" + std::to_string(nodes_++);
    day_.given.push_back({.kind = "node: in a zone", .texts = {node_words(name, zone_label + in)}});
    return name;
  }
  std::string zone() const { return "story-" + std::to_string(story_); }
  /// It dies at `until`, or not at all in the day.
  void lives(const std::string& node, Duration from, Duration until) {
    day_.timeline.push_back(
        {.kind = until == day_.ends ? "kubelet: exact" : "kubelet: dies",
         .texts = kubelet_words(node, from == Duration{0} ? time(0s, 9s) : from, until)});
  }
  /// Seconds that it tolerates an outage of its node; its name.
  std::string new_pod(const std::string& node, const std::string& seconds = "0") {
    if (seconds == "0") return pod_with(node, "[]", "nothing");
    return pod_with(node, outage_tolerations(seconds), seconds + "s");
  }
  /// With those tolerations, counted as what it tolerates; its name.
  std::string pod_with(const std::string& node, const std::string& tolerations,
                       const std::string& kind) {
    std::string name = "story-pod-" + std::to_string(pods_++);
    day_.given.push_back(
        {.kind = "pod: tolerates " + kind,
         .texts = {pod_words(name, "nodeName: " + node + ", tolerations: " + tolerations)}});
    return name;
  }
  /// After which a node is silent on this day: each day's flags say it.
  Duration grace_period() const {
    constexpr std::string_view name = "node-monitor-grace-period: ";
    for (const Line& flag : day_.flags) {
      const std::string& text = flag.texts.front();
      if (!text.starts_with(name)) continue;
      if (const std::optional<Duration> grace = parse_go_duration(text.substr(name.size())))
        return *grace;
    }
    return 40s;
  }
  /// One step of the story.
  void step(std::string words) {
    day_.timeline.push_back({.kind = kind_, .texts = {std::move(words)}});
  }
  void step(Duration at, const std::string& words) {
    step("at: " + go_duration(at) + ", " + words);
  }
  void step(Duration from, Duration until, const std::string& words) {
    step("from: " + go_duration(from) + ", until: " + go_duration(until) + ", " + words);
  }
  Duration time(Duration low, Duration high) { return draw_.time(low, std::max(low, high)); }

  Draw draw_;
  Day& day_;
  const std::vector<std::string>& replicas_;
  const Span span_;
  const char* kind_ = "";
  int story_ = 0;
  int nodes_ = 0;
  int pods_ = 0;
};

/// Which days a story can be of.
enum class Of { Any, Alone, Elected, Contended };

struct Story {
  const char* name;
  void (Stories::*add)();
  Duration takes;  ///< trouble that is shorter has none of it
  Of of = Of::Any;
};
constexpr auto story_kinds = std::to_array<Story>({
    {"story: unclear taints", &Stories::unclear_taints, 2min},
    {"story: hanging taints", &Stories::hanging_taints, 3min},
    {"story: leases in the queue", &Stories::leases_in_the_queue, 2min},
    {"story: leads again", &Stories::queue_of_who_leads_again, 2min},
    {"story: unseen return", &Stories::unseen_return, 3min},
    {"story: start after an outage", &Stories::start_after_an_outage, 150s, Of::Alone},
    {"story: taint brought back", &Stories::taint_brought_back, 130s, Of::Alone},
    {"story: restored while cut off", &Stories::restored_while_cut_off, 40s},
    {"story: restored twice", &Stories::restored_twice, 40s},
    {"story: restored between renewals", &Stories::restored_between_renewals, 50s},
    {"story: ghosts in a zone", &Stories::ghosts_in_a_zone, 30s},
    {"story: free lock brought back", &Stories::free_lock_brought_back, 35s, Of::Contended},
    {"story: late answer to a renewal", &Stories::late_answer_to_a_renewal, 35s, Of::Contended},
    {"story: lost the lock", &Stories::queue_of_who_lost_the_lock, 2min, Of::Elected},
    {"story: a taint goes", &Stories::taint_that_goes, 2min},
    {"story: restored before it was heard", &Stories::restored_before_it_was_heard, 75s},
    {"story: restored behind a cache", &Stories::restored_behind_a_cache, 60s},
    {"story: late server", &Stories::late_server, 2min},
    {"story: eviction undone", &Stories::eviction_undone, 150s},
});

bool is_of(Of of, bool contended, bool elects) {
  switch (of) {
    case Of::Any:
      return true;
    case Of::Alone:
      return !contended && !elects;
    case Of::Elected:
      return contended || elects;
    case Of::Contended:
      return contended;
  }
  return false;
}

void Stories::add() {
  const bool contended = replicas_.size() > 1 && replicas_[1] != "watcher";
  const bool elects = std::ranges::any_of(
      day_.flags, [](const Line& flag) { return flag.texts.front() == "leader-elect: true"; });
  for (const Story& story : story_kinds) {
    const bool fits = span_.until - span_.from >= story.takes;
    if (!draw_.chance(story_share) || !fits || !is_of(story.of, contended, elects)) continue;
    kind_ = story.name;
    ++story_;
    (this->*story.add)();
  }
}

}  // namespace

void add_stories(Day& day, const std::vector<std::string>& replicas, Span span) {
  Stories(day, replicas, span).add();
}

std::vector<std::string> story_names() {
  std::vector<std::string> names;
  for (const Story& story : story_kinds) names.emplace_back(story.name);
  return names;
}

}  // namespace nlc::sim::fuzz

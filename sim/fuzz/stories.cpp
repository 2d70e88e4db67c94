#include "sim/fuzz/stories.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/go_duration.h"

namespace nlc::sim::fuzz {

using namespace std::chrono_literals;

/// One function for each story.
struct StoryKinds {
  static constexpr const char* lock = "node-lifecycle-controller";

  // --- a zone dies, and its nodes wait for one another

  /// All of them at once, with a node elsewhere that lives: so they leave at the rate of the zone,
  /// which is slow.
  static std::vector<std::string> zone_dies(Stories& day, Duration at, int count) {
    for (Line& flag : day.day_.flags) {
      std::string& text = flag.texts.front();
      if (text.starts_with("node-eviction-rate")) text = "node-eviction-rate: 0.1";
    }
    day.lives(day.node("elsewhere"), 0s, day.day_.ends);
    std::vector<std::string> nodes;
    for (; count > 0; --count) {
      nodes.push_back(day.node());
      day.lives(nodes.back(), 0s, at + day.draw_.time(0s, 2s));
    }
    return nodes;
  }
  static constexpr const char* taints = "fail_api: {verb: PATCH, resource: nodes, name: 'story-*'";

  /// Nobody knows what became of their taints before watches tell.
  static void unclear_taints(Stories& day) {
    const Duration at = day.time(day.span_.from, day.span_.until - 2min);
    zone_dies(day, at, day.draw_.whole(4, 7));
    day.step(at + 25s, day.span_.until,
             std::string(taints) + ", respond: {code: 504}, applied: true}");
  }
  /// Their taints hang, one after the other, until the server answers again.
  static void hanging_taints(Stories& day) {
    const Duration at = day.time(day.span_.from, day.span_.until - 3min);
    zone_dies(day, at, day.draw_.whole(8, 12));
    day.step(at + 25s, day.span_.until, std::string(taints) + ", respond: hang}");
  }
  /// Some of them live, and can say so by their leases alone.
  static void leases_in_the_queue(Stories& day) {
    const Duration at = day.time(day.span_.from, day.span_.until - 2min);
    const std::vector<std::string> nodes = zone_dies(day, at, day.draw_.whole(4, 9));
    for (int count = day.draw_.whole(1, 3); count > 0; --count) {
      const auto which =
          static_cast<std::size_t>(day.draw_.whole(0, static_cast<int>(nodes.size()) - 1));
      day.step("from: " + go_duration(at + day.draw_.time(40s, 70s)) +
               ", until: " + go_duration(day.span_.until) +
               ", every: 10s, renew_lease: {node: " + nodes[which] + "}");
    }
  }

  /// Who leads is cut off while they wait, and leads again.
  static void queue_of_who_leads_again(Stories& day) {
    const Duration at = day.time(day.span_.from, day.span_.until - 2min);
    zone_dies(day, at, day.draw_.whole(4, 9));
    const Duration from = at + day.draw_.time(45s, 60s);
    const Duration until = std::min(day.span_.until, from + day.draw_.time(20s, 50s));
    for (const std::string& replica : day.replicas_) {
      day.step(from, until, "link: {state: down" + replica_words(replica) + "}");
    }
  }

  /// Whoever leads loses the lock while they wait, hears of all that happens, and leads again.
  static void queue_of_who_lost_the_lock(Stories& day) {
    const Duration at = day.time(day.span_.from, day.span_.until - 2min);
    zone_dies(day, at, day.draw_.whole(5, 9));
    const Duration from = at + day.draw_.time(50s, 65s);
    day.step(from, std::min(day.span_.until, from + day.draw_.time(15s, 45s)),
             "fail_api: {verb: PUT, resource: [leases, configmaps, endpoints], name: " +
                 std::string(lock) + ", respond: {code: 503}}");
  }

  // --- who comes back when nobody can see it

  /// The node is Ready again, and its watch does not tell.
  static void unseen_return(Stories& day) {
    day.lives(day.node("elsewhere"), 0s, day.day_.ends);
    const std::string node = day.node();
    const Duration dies = day.time(day.span_.from, day.span_.until - 3min);
    const Duration back = dies + day.draw_.time(50s, 100s);
    day.lives(node, 0s, dies);
    day.lives(node, back, day.day_.ends);
    for (const char* seconds : {"30", "90", "90"}) day.pod(node, seconds);
    day.step(back - 2s, std::min(day.span_.until, back + day.draw_.time(60s, 120s)),
             "cache: {hold: nodes}");
  }

  /// The controller ends with the taint that it writes, nobody can write for a while, the node
  /// comes back, and the next controller knows of nothing but the taint.
  static void start_after_an_outage(Stories& day) {
    day.lives(day.node("elsewhere"), 0s, day.day_.ends);
    const std::string node = day.node();
    const Duration dies = day.time(day.span_.from, day.span_.until - 150s);
    const Duration away = dies + day.draw_.time(70s, 100s);
    const Duration again = std::min(day.span_.until - 2s, away + day.draw_.time(20s, 40s));
    day.lives(node, 0s, dies);
    day.lives(node, away + day.draw_.time(1s, 10s), day.day_.ends);
    day.pod(node);
    day.pod(node, "30");
    for (const std::string& replica : day.replicas_) {
      const std::string words = replica_words(replica);
      day.step("from: " + go_duration(dies) + ", until: " + go_duration(away) +
               ", times: 1, before_request: {verb: PATCH, resource: nodes, name: " + node +
               "}, kill: controller" + words);
      day.step(again - day.draw_.time(0s, 8s), "start: controller" + words);
    }
    day.step(away, again, "read_only: {}");
  }

  /// A taint of others stands for a while beside ours, which its pods tolerate for ever: what ran
  /// for the one ends with it.
  static void taint_that_goes(Stories& day) {
    day.lives(day.node("elsewhere"), 0s, day.day_.ends);
    const std::string node = day.node();
    const Duration dies = day.time(day.span_.from, day.span_.until - 2min);
    day.lives(node, 0s, dies);
    for (int count = day.draw_.whole(1, 3); count > 0; --count) {
      day.pod_with(node,
                   "[{key: example.com/drained, operator: Exists, effect: NoExecute, "
                   "tolerationSeconds: 90}, {key: node.kubernetes.io/unreachable, operator: "
                   "Exists, effect: NoExecute}]",
                   "unreachable for ever");
    }
    const Duration taints = dies + day.draw_.time(65s, 85s);
    const std::string of = "{kind: Node, name: " + node;
    day.step(taints, "apply_patch: " + of + ", add_taint: 'example.com/drained:NoExecute'}");
    day.step(taints + day.draw_.time(5s, 30s),
             "patch: " + of +
                 ", merge: {spec: {taints: [{key: node.kubernetes.io/unreachable, effect: "
                 "NoExecute}, {key: node.kubernetes.io/unreachable, effect: NoSchedule}]}}}");
  }

  // --- what a backup brings back

  /// A taint that its node has outlived, over pods that had to wait for their turn.
  static void taint_brought_back(Stories& day) {
    const std::string node = day.node();
    day.lives(day.node(), 0s, day.day_.ends);
    const Duration dies = day.time(day.span_.from, day.span_.until - 130s);
    const Duration backup = dies + day.draw_.time(52s, 65s);
    const Duration back = backup + day.draw_.time(1s, 10s);
    const Duration restore = std::min(day.span_.until - 5s, back + day.draw_.time(12s, 40s));
    day.lives(node, 0s, dies);
    day.lives(node, back, day.day_.ends);
    for (int count = 0; count < 4; ++count) day.pod(node);
    const std::string policy =
        "apply: {apiVersion: v1, kind: ConfigMap, metadata: {namespace: kube-system, name: "
        "node-lifecycle-controller-policy}, data: {";
    day.step(day.span_.from, policy + "pod-evictions-per-second: '0.05'}}");
    day.step(day.span_.until + 25s, policy + "pause: none}}");
    day.step(backup, "backup: {}");
    day.step(restore, "restore: {down: 0s, bump_revision: true}");
    day.step(restore - 1s, std::min(day.span_.until, restore + 20s),
             "fail_api: {verb: LIST, resource: [nodes, pods, leases], delay: " +
                 std::string(day.draw_.one_of({"1500ms", "2500ms"})) + "}");
  }

  /// Others, by whose heartbeats the server comes as far again as it was.
  static void neighbours(Stories& day) {
    for (int count = day.draw_.whole(4, 9); count > 0; --count) {
      day.lives(day.node(), 0s, day.day_.ends);
    }
  }
  /// What users do and a restore undoes.
  static std::string change(Stories& day, const std::string& node, const std::string& pod) {
    const std::array<std::string, 4> changes{
        "delete: {kind: Pod, name: " + pod + ", gracePeriodSeconds: 0}",
        "delete: {kind: Node, name: " + node + "}",
        "apply_patch: {kind: Node, name: " + node + ", add_taint: 'example.com/drained:NoExecute'}",
        "patch: {kind: Node, name: " + node + ", merge: {spec: {unschedulable: true}}}"};
    return changes[static_cast<std::size_t>(day.draw_.small(0, 3))];
  }

  /// What happened after the backup has not happened, and whoever is cut off does not see it. A
  /// node that dies later shows what is believed of it.
  static void restored_while_cut_off(Stories& day) {
    neighbours(day);
    const std::string node = day.node();
    const std::string pod = day.pod(node);
    const Duration backup = day.time(day.span_.from, day.span_.until - 40s);
    const Duration restore = backup + day.draw_.time(4s, 8s);
    const Duration heals = std::min(day.span_.until, restore + day.draw_.time(15s, 1min));
    day.lives(node, 0s, day.time(restore + 20s, day.span_.until));
    day.step(backup, "backup: {}");
    day.step(backup + 1s, change(day, node, pod));
    const std::string how(day.draw_.one_of({"down", "silent"}));
    for (const std::string& replica : day.replicas_) {
      day.step(backup + 2s, heals, "link: {state: " + how + replica_words(replica) + "}");
    }
    day.step(restore, "restore: {down: 0s}");
  }
  /// Nor does whoever has seen the first of two, when lists are slow.
  static void restored_twice(Stories& day) {
    neighbours(day);
    const std::string node = day.node();
    const std::string pod = day.pod(node);
    const Duration backup = day.time(day.span_.from, day.span_.until - 40s);
    const Duration first = backup + day.draw_.time(1s, 3s);
    const Duration between = first + day.draw_.time(1s, 2s);
    const Duration second = between + day.draw_.time(1s, 3s);
    day.lives(node, 0s, day.time(second + 20s, day.span_.until));
    day.step(backup, "backup: {}");
    day.step(first, "restore: {down: 0s}");
    day.step(between, change(day, node, pod));
    day.step(between, second + 12s, slow_lists(day));
    day.step(second, "restore: {down: 0s}");
  }
  static std::string slow_lists(Stories& day) {
    return "fail_api: {verb: LIST, resource: leases, delay: " +
           std::string(day.draw_.one_of({"5s", "8s"})) + "}";
  }
  /// Nothing but the leader's own lease shows it: what is lost began with a write of that, and ends
  /// before the next. An observer's says nothing to the leader.
  static void restored_between_renewals(Stories& day) {
    neighbours(day);
    const std::string node = day.node();
    const Duration from = day.time(day.span_.from, day.span_.until - 50s);
    const auto before_renewals = [&](const char* times, const char* step) {
      day.step("from: " + go_duration(from) + ", until: " + go_duration(from + 22s) +
               ", times: " + times + ", before_request: {verb: PUT, resource: leases, name: [" +
               lock + ", " + lock + "-probe]}, " + step);
    };
    day.lives(node, 0s, day.time(from + 45s, day.span_.until));
    before_renewals("1", "backup: {}");
    before_renewals("2", "restore: {down: 0s}");
    day.step(from, from + 30s, slow_lists(day));
    for (Duration offset = 500ms; offset < 10s; offset += offset / 2) {
      day.step(from + offset,
               "delete: {kind: Pod, name: " + day.pod(node) + ", gracePeriodSeconds: 0}");
    }
  }

  /// Nobody hears its first heartbeat after a while, which is lost with the restore; the next one
  /// comes when its grace is over. One that was heard is lost as well: by that the restore shows.
  static void restored_before_it_was_heard(Stories& day) {
    neighbours(day);
    const std::string node = day.node();
    const Duration grace = day.grace();
    const Duration again = day.time(day.span_.from + grace + 10s, day.span_.until - 15s);
    const Duration last = again - grace + day.draw_.time(4s, 7s);
    day.lives(node, last % 10s + 1ms, last + 1s);
    day.lives(node, again, day.day_.ends);
    day.lives(day.node(), (again - 2500ms) % 10s + 1ms, day.day_.ends);
    const Duration restore = again + day.draw_.time(200ms, 1500ms);
    day.step(again - 5s, "backup: {}");
    for (const std::string& replica : day.replicas_) {
      day.step(again - 500ms, restore + 500ms, "link: {state: down" + replica_words(replica) + "}");
    }
    day.step(restore, "restore: {down: 0s}");
  }

  /// Nodes that are gone, and that a watch tells of once more, make their zone partly disrupted.
  static void ghosts_in_a_zone(Stories& day) {
    day.lives(day.node(), 0s, day.day_.ends);
    const std::string dead = day.node();
    const Duration at = day.time(day.span_.from, day.span_.until - 20s);
    day.lives(dead, 0s, day.time(day.span_.from, at + 10s));
    for (int count = 3; count > 0; --count) {
      const std::string ghost = "story-ghost-" + std::to_string(count);
      day.step(at, "apply: {apiVersion: v1, kind: Node, metadata: {name: " + ghost +
                       ", labels: {topology.kubernetes.io/zone: " + day.zone() +
                       "}}, status: {conditions: [{type: Ready, status: 'False'}]}}");
      day.step(at + 2s, "delete: {kind: Node, name: " + ghost + "}");
      day.step(at + 4s,
               "replay: {kind: Node, name: " + ghost + ", as_of: " + go_duration(at + 1s) + "}");
    }
  }

  // --- who leads

  /// Between two leaders the lock is free, which is when the backup is made; who leads at the
  /// restore does not hear of it.
  static void free_lock_brought_back(Stories& day) {
    const std::string first = replica_words(day.replicas_[0]);
    const std::string second = replica_words(day.replicas_[1]);
    const Duration change = day.time(day.span_.from, day.span_.until - 35s);
    const Duration restore = day.time(change + 20s, day.span_.until - 15s);
    day.step(change, "stop: controller" + first);
    day.step("from: " + go_duration(change) + ", until: " + go_duration(change + 12s) +
             ", times: 1, before_request: {verb: PUT, resource: leases, name: " +
             std::string(lock) + second + "}, backup: {}");
    day.step(change + 12s, "start: controller" + first);
    day.step(restore - 500ms, std::min(day.span_.until, restore + 30s),
             "link: {state: silent" + second + "}");
    day.step(restore, "restore: {down: 0s}");
  }
  /// Its renewal is answered late, later ones are refused, and of the next leader it does not hear.
  static void late_answer_to_a_renewal(Stories& day) {
    const std::string first = replica_words(day.replicas_[0]);
    const Duration late = day.time(day.span_.from + 1s, day.span_.until - 30s);
    const std::string renewals =
        "fail_api: {verb: PUT, resource: leases, name: " + std::string(lock) + first;
    day.step(late, late + 10s, renewals + ", delay: 3s, applied: true, times: 1}");
    day.step(late, late + 25s, renewals + ", respond: {code: 503}}");
    day.step(late - 1s, late + 25s,
             "fail_api: {verb: WATCH, resource: leases" + first + ", respond: hang}");
    day.step(late - 500ms, "end_watches: {resource: leases, how: closed}");
  }
};

namespace {

/// Which days a story can be of.
enum class Of { Any, Alone, Elected, Contended };

struct Story {
  const char* name;
  void (*add)(Stories&);
  Duration takes;  ///< trouble that is shorter has none of it
  Of of = Of::Any;
};
using S = StoryKinds;
constexpr std::array<Story, 16> story_kinds{
    {{"story: unclear taints", S::unclear_taints, 2min},
     {"story: hanging taints", S::hanging_taints, 3min},
     {"story: leases in the queue", S::leases_in_the_queue, 2min},
     {"story: leads again", S::queue_of_who_leads_again, 2min},
     {"story: unseen return", S::unseen_return, 3min},
     {"story: start after an outage", S::start_after_an_outage, 150s, Of::Alone},
     {"story: taint brought back", S::taint_brought_back, 130s, Of::Alone},
     {"story: restored while cut off", S::restored_while_cut_off, 40s},
     {"story: restored twice", S::restored_twice, 40s},
     {"story: restored between renewals", S::restored_between_renewals, 50s},
     {"story: ghosts in a zone", S::ghosts_in_a_zone, 30s},
     {"story: free lock brought back", S::free_lock_brought_back, 35s, Of::Contended},
     {"story: late answer to a renewal", S::late_answer_to_a_renewal, 35s, Of::Contended},
     {"story: lost the lock", S::queue_of_who_lost_the_lock, 2min, Of::Elected},
     {"story: a taint goes", S::taint_that_goes, 2min},
     {"story: restored before it was heard", S::restored_before_it_was_heard, 75s}}};

/// Of the days that have any.
constexpr double story_share = 0.12;
/// The numbers of stories are others than those of the rest of their day.
constexpr std::uint64_t apart = 0x9e3779b97f4a7c15;

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

}  // namespace

Stories::Stories(Day& day, const std::vector<std::string>& replicas, Trouble::Span span)
    : draw_(day.seed ^ apart), day_(day), replicas_(replicas), span_(span) {}

void Stories::add() {
  const bool contended = replicas_.size() > 1 && replicas_[1] != "watcher";
  const bool elects = std::ranges::any_of(
      day_.flags, [](const Line& flag) { return flag.texts.front() == "leader-elect: true"; });
  for (const Story& story : story_kinds) {
    const bool fits = span_.until - span_.from >= story.takes;
    if (!draw_.chance(story_share) || !fits || !is_of(story.of, contended, elects)) continue;
    kind_ = story.name;
    ++story_;
    story.add(*this);
  }
}

std::string Stories::node(std::string zone) {
  if (zone.empty()) zone = this->zone();
  std::string name = "story-" + std::to_string(nodes_++);
  const std::string label = "topology.kubernetes.io/zone: " + zone;
  day_.given.push_back({.kind = "node: in a zone", .texts = {node_words(name, label)}});
  return name;
}

std::string Stories::zone() const { return "story-" + std::to_string(story_); }

void Stories::lives(const std::string& node, Duration from, Duration until) {
  day_.timeline.push_back(
      {.kind = until == day_.ends ? "kubelet: exact" : "kubelet: dies",
       .texts = kubelet_words(node, from == Duration{0} ? time(0s, 9s) : from, until)});
}

std::string Stories::pod_tolerations(std::string_view seconds) const {
  if (seconds == "0") return "[]";
  std::string text;
  for (const char* key : {"unreachable", "not-ready"}) {
    text += (text.empty() ? "[{key: node.kubernetes.io/" : ", {key: node.kubernetes.io/") +
            std::string(key) +
            ", operator: Exists, effect: NoExecute, tolerationSeconds: " + std::string(seconds) +
            "}";
  }
  return text + "]";
}

std::string Stories::pod(const std::string& node, std::string_view seconds) {
  const std::string kind = seconds == "0" ? "nothing" : std::string(seconds) + "s";
  return pod_with(node, pod_tolerations(seconds), kind);
}

std::string Stories::pod_with(const std::string& node, const std::string& tolerations,
                              const std::string& kind) {
  std::string name = "story-pod-" + std::to_string(pods_++);
  day_.given.push_back(
      {.kind = "pod: tolerates " + kind,
       .texts = {pod_words(name, "nodeName: " + node + ", tolerations: " + tolerations)}});
  return name;
}

/// Each day's flags say it.
Duration Stories::grace() const {
  constexpr std::string_view name = "node-monitor-grace-period: ";
  for (const Line& flag : day_.flags) {
    const std::string& text = flag.texts.front();
    if (!text.starts_with(name)) continue;
    if (const std::optional<Duration> grace = parse_go_duration(text.substr(name.size())))
      return *grace;
  }
  return 40s;
}

void Stories::step(std::string words) {
  day_.timeline.push_back({.kind = kind_, .texts = {std::move(words)}});
}

void Stories::step(Duration at, const std::string& words) {
  step("at: " + go_duration(at) + ", " + words);
}

void Stories::step(Duration from, Duration until, const std::string& words) {
  step("from: " + go_duration(from) + ", until: " + go_duration(until) + ", " + words);
}

std::vector<std::string> story_names() {
  std::vector<std::string> names;
  for (const Story& story : story_kinds) names.emplace_back(story.name);
  return names;
}

}  // namespace nlc::sim::fuzz

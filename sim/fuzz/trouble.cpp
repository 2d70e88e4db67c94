#include "sim/fuzz/trouble.h"

#include <algorithm>
#include <array>

#include "runtime/go_duration.h"

namespace nlc::sim::fuzz {

using namespace std::chrono_literals;

/// One function for each kind: it adds the steps of one occurrence.
struct TroubleKinds {
  static std::string_view requests(Trouble& day) {
    return day.draw_.one_of(
        {"verb: PATCH, resource: nodes, subresource: status", "verb: PATCH, resource: nodes",
         "verb: PATCH, resource: pods, subresource: status", "verb: DELETE, resource: pods",
         "verb: GET, resource: leases", "verb: GET, resource: nodes",
         "verb: LIST, resource: '*', subresource: '*'", "verb: WATCH, resource: nodes",
         "verb: WATCH, resource: leases", "verb: PUT, resource: leases, subresource: '*'",
         "verb_class: write, resource: '*', subresource: '*'", "resource: '*', subresource: '*'"});
  }

  static void refused(Trouble& day) {
    const std::string times =
        day.draw_.chance(0.5) ? ", times: " + std::to_string(day.draw_.whole(1, 5)) : "";
    day.step({day.lasting(90s), ", fail_api: {", requests(day), ", respond: {code: ",
              day.draw_.one_of({"401", "403", "404", "409", "410", "422", "429", "500", "503"}),
              "}", times, "}"});
  }
  /// The next ones, whenever they come: a window seldom meets one.
  static void refused_node_writes(Trouble& day) {
    const std::string times = std::to_string(day.draw_.whole(1, 5));
    day.step({day.lasting(4min),
              ", fail_api: {verb: PATCH, resource: nodes, subresource: '*', respond: {code: ",
              day.draw_.one_of({"401", "403", "404", "409", "422", "429", "500", "503"}),
              "}, times: ", times, "}"});
  }
  /// A proxy or an overloaded server does not know what became of the request.
  static void unknown_outcome(Trouble& day) {
    day.step({day.lasting(90s), ", fail_api: {", requests(day), ", respond: {code: ",
              day.draw_.one_of({"500", "502", "503", "504"}), "}, applied: true}"});
  }
  static void unanswered(Trouble& day) {
    const std::string applied = day.draw_.chance(0.3) ? ", applied: true" : "";
    day.step({day.lasting(60s), ", fail_api: {", requests(day),
              ", respond: ", day.draw_.one_of({"drop", "hang"}), applied, "}"});
  }
  static void slow(Trouble& day) {
    day.step({day.lasting(2min), ", fail_api: {", requests(day),
              ", delay: ", day.draw_.one_of({"200ms", "3s", "12s"}), "}"});
  }
  /// Done at once, and heard of when others may have gone on long since.
  static void answered_late(Trouble& day) {
    day.step({day.lasting(2min), ", fail_api: {", requests(day),
              ", delay: ", day.draw_.one_of({"200ms", "3s", "8s"}), ", applied: true}"});
  }
  static void cache(Trouble& day) {
    day.step(
        {day.lasting(90s), ", cache: {hold: ", day.draw_.one_of({"leases", "nodes", "pods"}), "}"});
  }
  static void pause_api(Trouble& day) { day.step({day.lasting(2min), ", pause_api: {}"}); }
  static void read_only(Trouble& day) { day.step({day.lasting(90s), ", read_only: {}"}); }
  static void restore(Trouble& day) {
    const Duration backup = day.draw_.time(day.span_.from, day.span_.until - 10s);
    const Duration restore = day.draw_.time(backup + 5s, day.span_.until);
    const std::string down = day.draw_.chance(0.5) ? "20s" : "0s";
    const std::string bump = day.draw_.chance(0.5) ? ", bump_revision: true" : "";
    day.step({"at: ", go_duration(backup), ", backup: {}"});
    day.step({"at: ", go_duration(restore), ", restore: {down: ", down, bump, "}"});
  }
  /// So soon after the backup that its versions are given a second time before anybody has asked,
  /// and perhaps once more.
  static void restore_at_once(Trouble& day) {
    const Duration backup = day.draw_.time(day.span_.from, day.span_.until - 25s);
    const Duration restore = backup + day.draw_.time(1s, 5s);
    day.step({"at: ", go_duration(backup), ", backup: {}"});
    day.step(
        {"at: ", go_duration(restore), ", restore: {down: ", day.draw_.one_of({"0s", "3s"}), "}"});
    if (day.draw_.chance(0.4)) return;
    const Duration again = restore + day.draw_.time(4s, 20s);
    day.step({"at: ", go_duration(again), ", restore: {down: 0s}"});
  }
  static void admission(Trouble& day) {
    day.step({day.lasting(90s), ", admission: {resource: ",
              day.draw_.one_of(
                  {"nodes", "pods", "nodes, subresource: status", "pods, subresource: status"}),
              ", ", day.draw_.one_of({"refuse: {}", "hang: true", "delay: 10s"}), "}"});
  }
  /// Those of kubelets and ours; whatever else is written is taken.
  static void refused_leases(Trouble& day) {
    day.step(
        {day.lasting(2min), ", admission: {resource: leases, by: anybody, refuse: {code: 500}}"});
  }
  static void stale_reads(Trouble& day) {
    const Duration from = day.draw_.time(day.span_.from, day.span_.until - 5s);
    const Duration until = std::min(day.span_.until, from + day.draw_.time(5s, 60s));
    const Duration as_of = day.draw_.time(5s, from);
    const std::string alternating = day.draw_.chance(0.5) ? ", alternating: true" : "";
    day.step({"from: ", go_duration(from), ", until: ", go_duration(until),
              ", stale_reads: {resource: ", day.draw_.one_of({"leases", "nodes", "pods"}),
              ", as_of: ", go_duration(as_of), alternating, "}"});
  }
  static void server_clock(Trouble& day) {
    day.step({day.lasting(2min),
              ", server_clock: {offset: ", day.draw_.one_of({"1h", "-1h", "30s", "-30s"}), "}"});
  }
  static void end_watches(Trouble& day) {
    const std::string every = day.draw_.chance(0.5) ? ", every: 5s" : "";
    const std::string when = every.empty() ? day.at() : day.lasting(1min) + every;
    day.step({when, ", end_watches: {how: ", day.draw_.one_of({"closed", "cut", "expired"}), "}"});
  }
  /// A node that is gone may come back by it. Nobody who only watches can know, until the server
  /// has no history to go on from.
  static void replay(Trouble& day) {
    const Duration at = day.draw_.time(day.span_.from, day.span_.until);
    day.step({"at: ", go_duration(at), ", replay: {kind: Node, name: ", day.any_node(),
              ", as_of: ", go_duration(day.draw_.time(5s, at)), "}"});
    day.step(
        {"at: ", go_duration(day.span_.until), ", end_watches: {resource: nodes, how: expired}"});
  }
  /// Nodes that were there for a moment, not Ready, and come back by a watch alone: only a write
  /// that finds none tells. Ready ones would have zones count as healthy that are not.
  static void ghosts(Trouble& day) {
    const Duration at = day.draw_.time(day.span_.from, day.span_.until - 10s);
    const std::string labels(day.draw_.one_of({"", ", labels: {topology.kubernetes.io/zone: a}"}));
    for (int count = day.draw_.whole(1, 3); count > 0; --count) {
      const std::string ghost = "ghost-" + std::to_string(count);
      day.step({"at: ", go_duration(at), ", apply: {apiVersion: v1, kind: Node, metadata: {name: ",
                ghost, labels, "}, status: {conditions: [{type: Ready, status: 'False'}]}}"});
      day.step({"at: ", go_duration(at + 2s), ", delete: {kind: Node, name: ", ghost, "}"});
      day.step({"at: ", go_duration(at + 4s), ", replay: {kind: Node, name: ", ghost,
                ", as_of: ", go_duration(at + 1s), "}"});
    }
  }
  static void restart(Trouble& day) {
    day.step({day.at(), ", restart: controller", day.any_replica(),
              ", down: ", day.draw_.one_of({"100ms", "1s", "20s"})});
  }
  static void pause(Trouble& day) {
    day.step({day.lasting(90s), ", pause: controller", day.any_replica()});
  }
  static void stop(Trouble& day) {
    const Duration from = day.draw_.time(day.span_.from, day.span_.until - 5s);
    const Duration until = day.draw_.time(from + 1s, day.span_.until);
    const std::string replica = day.any_replica();
    const std::string how{day.draw_.one_of({"stop", "kill"})};
    day.step({"at: ", go_duration(from), ", ", how, ": controller", replica});
    day.step({"at: ", go_duration(until), ", start: controller", replica});
  }
  static void link(Trouble& day) {
    const std::string replica = day.any_replica();
    day.step(
        {day.lasting(90s), ", link: {state: ", day.draw_.one_of({"down", "silent"}), replica, "}"});
  }
  static void controller_clock(Trouble& day) {
    day.step({day.lasting(2min),
              ", controller_clock: {offset: ", day.draw_.one_of({"1h", "-1h", "20s", "-20s"}),
              replica_words(day.replicas_.front()), "}"});
  }
  static void user_taint(Trouble& day) {
    day.step({day.at(), ", apply_patch: {kind: Node, name: ", day.any_node(),
              ", add_taint: 'example.com/drained:NoExecute'}"});
  }
  static void cordon(Trouble& day) {
    day.step({day.at(), ", patch: {kind: Node, name: ", day.any_node(),
              ", merge: {spec: {unschedulable: ", day.draw_.one_of({"true", "null"}), "}}}"});
  }
  static void relabel(Trouble& day) {
    day.step({day.at(), ", patch: {kind: Node, name: ", day.any_node(),
              ", merge: {metadata: {labels: {topology.kubernetes.io/zone: ",
              day.draw_.one_of({"a", "b", "null"}), "}}}}"});
  }
  static void untaint(Trouble& day) {
    day.step({day.at(), ", patch: {kind: Node, name: ", day.any_node(),
              ", merge: {spec: {taints: null}}}"});
  }
  static void delete_node(Trouble& day) {
    day.step({day.at(), ", delete: {kind: Node, name: ", day.any_node(), "}"});
  }
  static void register_again(Trouble& day) {
    const std::string node = day.any_node();
    const Duration at = day.draw_.time(day.span_.from, day.span_.until);
    day.step({"at: ", go_duration(at), ", delete: {kind: Node, name: ", node, "}"});
    day.step(
        {"at: ", go_duration(at + day.draw_.time(0s, 3s)), ", apply: {", node_words(node), "}"});
  }
  static void namesake(Trouble& day) {
    if (day.pods_.empty()) return (void)day.day_.timeline.pop_back();
    const std::string pod = day.any_pod();
    const Duration at = day.draw_.time(day.span_.from, day.span_.until);
    day.step(
        {"at: ", go_duration(at), ", delete: {kind: Pod, name: ", pod, ", gracePeriodSeconds: 0}"});
    day.step({"at: ", go_duration(at + day.draw_.time(0s, 3s)), ", apply: {",
              pod_words(pod, "nodeName: " + day.any_node()), "}"});
  }
  /// Just before such a request of the controller is executed, which is when it matters.
  static std::string before(Trouble& day, std::string_view verb, std::string_view resource,
                            std::string_view name) {
    return day.lasting(4min) + ", times: 1, before_request: {verb: " + std::string(verb) +
           ", resource: " + std::string(resource) + ", name: " + std::string(name) + "}, ";
  }
  /// Its answer nobody hears, nor what was to follow it.
  static void restart_at_write(Trouble& day) {
    struct Write {
      std::string_view verb;
      std::string_view resource;
    };
    constexpr std::array<Write, 4> writes{{{"PATCH", "nodes"},
                                           {"PATCH", "nodes, subresource: status"},
                                           {"PATCH", "pods, subresource: status"},
                                           {"DELETE", "pods"}}};
    const Write& write = writes[static_cast<std::size_t>(day.draw_.whole(0, 3))];
    day.step({before(day, write.verb, write.resource, "'*'"), "restart: controller",
              day.any_replica(), ", down: ", day.draw_.one_of({"100ms", "1s", "20s"})});
  }
  static void overtaken_deletion(Trouble& day) {
    if (day.pods_.empty()) return (void)day.day_.timeline.pop_back();
    const std::string pod = day.any_pod();
    const std::string before_it = before(day, "DELETE", "pods", pod);
    day.step({before_it, "delete: {kind: Pod, name: ", pod, ", gracePeriodSeconds: 0}"});
    day.step({before_it, "apply: {", pod_words(pod, "nodeName: " + day.any_node()), "}"});
  }
  static void overtaken_taint(Trouble& day) {
    const std::string node = day.any_node();
    day.step({before(day, "PATCH", "nodes", node), "apply_patch: {kind: Node, name: ", node,
              ", add_taint: 'example.com/drained:", day.draw_.one_of({"NoExecute", "NoSchedule"}),
              "'}"});
  }
  static void overtaken_untaint(Trouble& day) {
    if (day.pods_.empty()) return (void)day.day_.timeline.pop_back();
    const std::string node = day.any_node();
    day.step({before(day, "DELETE", "pods", "'*'"), "patch: {kind: Node, name: ", node,
              ", merge: {spec: {taints: null}}}"});
  }
  static void delete_lease(Trouble& day) {
    day.step({day.at(),
              ", delete: {kind: Lease, namespace: kube-node-lease, name: ", day.any_node(), "}"});
  }
  static void write_policy(Trouble& day, Duration at, std::string_view data) {
    day.step({"at: ", go_duration(at),
              ", apply: {apiVersion: v1, kind: ConfigMap, metadata: {namespace: kube-system, name: "
              "node-lifecycle-controller-policy}, data: {",
              data, "}}"});
  }
  /// In peace nothing is paused any more, whatever a restore has brought back.
  static Duration last_word(const Trouble& day) { return day.span_.until + 25s; }
  static void policy(Trouble& day) {
    const Duration from = day.draw_.time(day.span_.from, day.span_.until);
    std::string data;
    if (day.draw_.chance(0.7)) {
      data += "pause: " +
              std::string(day.draw_.one_of({"evictions", "all", "evictions zone a", "evictons",
                                            "all nodes topology.kubernetes.io/zone=b"})) +
              ", ";
    }
    if (day.draw_.chance(0.4)) {
      data += "pod-evictions-per-second: '" + std::string(day.draw_.one_of({"0.1", "0.5", "10"})) +
              "', ";
    }
    if (day.draw_.chance(0.2)) data += "pod-evictions-per-second-and-zone: '2', ";
    if (day.draw_.chance(0.2)) data += "hold-evictions-in-disruption: 'true', ";
    write_policy(day, from, data);
    write_policy(day, day.draw_.time(from, day.span_.until), "pause: none");
    write_policy(day, last_word(day), "pause: none");
  }
  /// Each key is read for itself: one that nobody can read ends no pause and begins none.
  static void half_a_policy(Trouble& day) {
    const Duration from = day.draw_.time(day.span_.from, day.span_.until);
    const std::string good =
        "pause: " + std::string(day.draw_.one_of({"evictions", "all", "evictions zone a"}));
    const std::string bad(day.draw_.one_of(
        {"pod-evictions-per-second: fast", "pod-evictions-per-second: '1,5'",
         "pod-evictions-per-second-and-zone: '-1'", "hold-evictions-in-disruption: maybe",
         "pauze: none", "pod-evictions-per-minute: '3'"}));
    write_policy(day, from, day.draw_.chance(0.5) ? good + ", " + bad : bad + ", " + good);
    write_policy(day, last_word(day), "pause: none");
  }
  /// From early on, and without a pause: many have to be due at once to show it.
  static void pace(Trouble& day) {
    const Duration from = day.draw_.time(day.span_.from, day.span_.from + 40s);
    const std::string pace(day.draw_.one_of({"0.05", "0.2", "1"}));
    write_policy(day, from, "pod-evictions-per-second: '" + pace + "'");
    write_policy(day, last_word(day), "pause: none");
  }
  static void pause_node(Trouble& day) {
    const std::string node = day.any_node();
    const Duration from = day.draw_.time(day.span_.from, day.span_.until);
    const auto say = [&](Duration at, std::string_view word) {
      day.step({"at: ", go_duration(at), ", patch: {kind: Node, name: ", node,
                ", merge: {metadata: {annotations: {node-lifecycle-controller/pause: ", word,
                "}}}}"});
    };
    say(from, day.draw_.one_of({"evictions", "all"}));
    say(day.draw_.time(from, day.span_.until), "null");
    say(last_word(day), "null");
  }
  static void not_ready(Trouble& day) {
    day.step({day.at(), ", heartbeat: {node: ", day.any_node(), ", ready: 'False'}"});
  }
  /// Of one that was dead until now, or is: it renews its lease and cannot post its status.
  static void lease_alone(Trouble& day) {
    day.step({day.lasting(3min), ", every: 10s, renew_lease: {node: ", day.any_node(), "}"});
  }
};

namespace {

struct Kind {
  const char* name;
  void (*add)(Trouble&);
};
using K = TroubleKinds;
constexpr std::array<Kind, 41> trouble_kinds{
    {{"fail_api: refused", K::refused},
     {"fail_api: outcome unknown", K::unknown_outcome},
     {"fail_api: unanswered", K::unanswered},
     {"fail_api: slow", K::slow},
     {"cache", K::cache},
     {"pause_api", K::pause_api},
     {"read_only", K::read_only},
     {"restore", K::restore},
     {"admission", K::admission},
     {"stale_reads", K::stale_reads},
     {"server_clock", K::server_clock},
     {"end_watches", K::end_watches},
     {"replay", K::replay},
     {"restart", K::restart},
     {"pause", K::pause},
     {"stop and start", K::stop},
     {"link", K::link},
     {"controller_clock", K::controller_clock},
     {"user: taint", K::user_taint},
     {"user: cordon", K::cordon},
     {"user: relabel", K::relabel},
     {"user: untaint", K::untaint},
     {"user: delete node", K::delete_node},
     {"user: register again", K::register_again},
     {"user: namesake", K::namesake},
     {"user: overtakes a deletion", K::overtaken_deletion},
     {"user: overtakes a taint", K::overtaken_taint},
     {"user: overtakes with an untaint", K::overtaken_untaint},
     {"user: delete lease", K::delete_lease},
     {"kubelet: not ready", K::not_ready},
     {"user: policy", K::policy},
     {"user: pace", K::pace},
     {"user: pause node", K::pause_node},
     {"admission: leases", K::refused_leases},
     {"fail_api: answered late", K::answered_late},
     {"restore: at once", K::restore_at_once},
     {"kubelet: lease alone", K::lease_alone},
     {"restart: at a write", K::restart_at_write},
     {"replay: ghosts", K::ghosts},
     {"fail_api: node writes refused", K::refused_node_writes},
     {"user: policy half readable", K::half_a_policy}}};

}  // namespace

void Trouble::add() {
  const double share = draw_.chance(0.3) ? 0.08 : 0.25;
  for (const Kind& kind : trouble_kinds) {
    if (!draw_.chance(share)) continue;
    for (int count = draw_.small(1, 3); count > 0; --count) {
      day_.timeline.push_back({.kind = kind.name, .texts = {}});
      kind.add(*this);
    }
  }
}

std::string Trouble::at() { return "at: " + go_duration(draw_.time(span_.from, span_.until)); }

std::string Trouble::lasting(Duration most) {
  const Duration from = draw_.time(span_.from, span_.until - 5s);
  const Duration until = std::min(span_.until, from + draw_.time(1s, most));
  return "from: " + go_duration(from) + ", until: " + go_duration(until);
}

std::string Trouble::any_node() {
  return nodes_[static_cast<std::size_t>(draw_.whole(0, static_cast<int>(nodes_.size()) - 1))];
}

std::string Trouble::any_pod() {
  return pods_[static_cast<std::size_t>(draw_.whole(0, static_cast<int>(pods_.size()) - 1))];
}

std::string Trouble::any_replica() {
  const auto last = static_cast<int>(replicas_.size()) - 1;
  return replica_words(replicas_[static_cast<std::size_t>(draw_.whole(0, last))]);
}

void Trouble::step(std::initializer_list<std::string_view> words) {
  std::string& text = day_.timeline.back().texts.emplace_back();
  for (const std::string_view word : words) text += word;
}

std::vector<std::string> trouble_names() {
  std::vector<std::string> names;
  for (const Kind& kind : trouble_kinds) names.emplace_back(kind.name);
  return names;
}

}  // namespace nlc::sim::fuzz

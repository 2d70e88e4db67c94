#include "sim/fuzz/drawn_faults.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/go_duration.h"
#include "sim/fuzz/day_steps.h"

namespace nlc::sim::fuzz {
namespace {

using namespace std::chrono_literals;

/// What was asked for is done, and nobody says so.
constexpr const char* done_unanswered = "fail_api: done and unanswered";

/// What a server says no with, and what that is counted as.
struct Refusal {
  std::string_view code;
  const char* kind;
};
constexpr const char* not_allowed = "fail_api: refused, 401 or 403";
constexpr const char* server_fault = "fail_api: refused, 500 or 503";
constexpr auto refusals = std::to_array<Refusal>({{"401", not_allowed},
                                                  {"403", not_allowed},
                                                  {"404", "fail_api: refused, 404"},
                                                  {"409", "fail_api: refused, 409"},
                                                  {"410", "fail_api: refused, 410"},
                                                  {"422", "fail_api: refused, 422"},
                                                  {"429", "fail_api: refused, 429"},
                                                  {"500", server_fault},
                                                  {"503", server_fault}});

/// One function for each kind: it adds the steps of one occurrence.
class Trouble : private DaySteps {
 public:
  using DaySteps::DaySteps;

  void add();

  std::string_view requests() {
    return draw_.one_of(
        {"verb: PATCH, resource: nodes, subresource: status", "verb: PATCH, resource: nodes",
         "verb: PATCH, resource: pods, subresource: status", "verb: DELETE, resource: pods",
         "verb: GET, resource: leases", "verb: GET, resource: nodes",
         "verb: LIST, resource: '*', subresource: '*'", "verb: WATCH, resource: nodes",
         "verb: WATCH, resource: leases", "verb: PUT, resource: leases, subresource: '*'",
         "verb_class: write, resource: '*', subresource: '*'", "resource: '*', subresource: '*'"});
  }

  void refused() {
    const std::string times =
        draw_.chance(0.5) ? ", times: " + std::to_string(draw_.whole(1, 5)) : "";
    const std::string when = lasting(90s);
    const std::string_view what = requests();
    const Refusal& refusal = draw_.one_of(refusals);
    day_.timeline.back().kind = refusal.kind;
    step({when, ", fail_api: {", what, ", respond: {code: ", refusal.code, "}", times, "}"});
  }
  /// The next ones, whenever they come: a window seldom meets one.
  void refused_node_writes() {
    const std::string times = std::to_string(draw_.whole(1, 5));
    step({lasting(4min),
          ", fail_api: {verb: PATCH, resource: nodes, subresource: '*', respond: {code: ",
          draw_.one_of({"401", "403", "404", "409", "422", "429", "500", "503"}),
          "}, times: ", times, "}"});
  }
  /// A proxy or an overloaded server does not know what became of the request.
  void unknown_outcome() {
    step({lasting(90s), ", fail_api: {", requests(),
          ", respond: {code: ", draw_.one_of({"500", "502", "503", "504"}), "}, applied: true}"});
  }
  void unanswered() {
    const std::string applied = draw_.chance(0.3) ? ", applied: true" : "";
    if (!applied.empty()) day_.timeline.back().kind = done_unanswered;
    step({lasting(60s), ", fail_api: {", requests(), ", respond: ", draw_.one_of({"drop", "hang"}),
          applied, "}"});
  }
  void slow() {
    step({lasting(2min), ", fail_api: {", requests(),
          ", delay: ", draw_.one_of({"200ms", "3s", "12s"}), "}"});
  }
  /// Done at once, and heard of when others may have gone on long since.
  void answered_late() {
    step({lasting(2min), ", fail_api: {", requests(),
          ", delay: ", draw_.one_of({"200ms", "3s", "8s"}), ", applied: true}"});
  }
  void cache() {
    step({lasting(90s), ", cache: {hold: ", draw_.one_of({"leases", "nodes", "pods"}), "}"});
  }
  void pause_api() { step({lasting(2min), ", pause_api: {}"}); }
  void read_only() { step({lasting(90s), ", read_only: {}"}); }
  void restore() {
    const Duration backup = draw_.time(span_.from, span_.until - 10s);
    const Duration restore = draw_.time(backup + 5s, span_.until);
    const std::string down = draw_.chance(0.5) ? "20s" : "0s";
    const std::string bump = draw_.chance(0.5) ? ", bump_revision: true" : "";
    step({"at: ", go_duration(backup), ", backup: {}"});
    step({"at: ", go_duration(restore), ", restore: {down: ", down, bump, "}"});
  }
  /// So soon after the backup that its versions are given a second time before anybody has asked,
  /// and perhaps once more.
  void restore_at_once() {
    const Duration backup = draw_.time(span_.from, span_.until - 25s);
    const Duration restore = backup + draw_.time(1s, 5s);
    step({"at: ", go_duration(backup), ", backup: {}"});
    step({"at: ", go_duration(restore), ", restore: {down: ", draw_.one_of({"0s", "3s"}), "}"});
    if (draw_.chance(0.4)) return;
    const Duration again = restore + draw_.time(4s, 20s);
    step({"at: ", go_duration(again), ", restore: {down: 0s}"});
  }
  void admission() {
    step(
        {lasting(90s), ", admission: {resource: ",
         draw_.one_of({"nodes", "pods", "nodes, subresource: status", "pods, subresource: status"}),
         ", ", draw_.one_of({"refuse: {}", "hang: true", "delay: 10s"}), "}"});
  }
  /// Those of kubelets and ours; whatever else is written is taken.
  void refused_leases() {
    step({lasting(2min), ", admission: {resource: leases, by: anybody, refuse: {code: 500}}"});
  }
  void stale_reads() {
    const Span stale = part(5s, 60s);
    const Duration as_of = draw_.time(5s, stale.from);
    const std::string alternating = draw_.chance(0.5) ? ", alternating: true" : "";
    step({during(stale), ", stale_reads: {resource: ", draw_.one_of({"leases", "nodes", "pods"}),
          ", as_of: ", go_duration(as_of), alternating, "}"});
  }
  void server_clock() {
    step({lasting(2min), ", server_clock: {offset: ", draw_.one_of({"1h", "-1h", "30s", "-30s"}),
          "}"});
  }
  void end_watches() {
    const std::string every = draw_.chance(0.5) ? ", every: 5s" : "";
    const std::string when = every.empty() ? at() : lasting(1min) + every;
    step({when, ", end_watches: {how: ", draw_.one_of({"closed", "cut", "expired"}), "}"});
  }
  void replay() {
    const Duration at = draw_.time(span_.from, span_.until);
    step({"at: ", go_duration(at), ", replay: {kind: Node, name: ", any_node(),
          ", as_of: ", go_duration(draw_.time(5s, at)), "}"});
  }
  /// Nodes that were there for a moment, not Ready, and come back by a watch alone: only a write
  /// that finds none tells. Ready ones would have zones count as healthy that are not.
  void ghosts() {
    const Duration at = draw_.time(span_.from, span_.until - 10s);
    const std::string labels(draw_.one_of({"", "topology.kubernetes.io/zone: a"}));
    for (int count = draw_.whole(1, 3); count > 0; --count) {
      for (const std::string& words : ghost_words("ghost-" + std::to_string(count), labels, at)) {
        step({words});
      }
    }
  }
  void restart() {
    step({at(), ", restart: controller", any_replica(),
          ", down: ", draw_.one_of({"100ms", "1s", "20s"})});
  }
  void pause() { step({lasting(90s), ", pause: controller", any_replica()}); }
  void stop() {
    const Duration from = draw_.time(span_.from, span_.until - 5s);
    const Duration until = draw_.time(from + 1s, span_.until);
    const std::string replica = any_replica();
    const std::string how{draw_.one_of({"stop", "kill"})};
    step({"at: ", go_duration(from), ", ", how, ": controller", replica});
    step({"at: ", go_duration(until), ", start: controller", replica});
  }
  void link() {
    const std::string replica = any_replica();
    step({lasting(90s), ", link: {state: ", draw_.one_of({"down", "silent"}), replica, "}"});
  }
  void controller_clock() {
    step({lasting(2min), ", controller_clock: {offset: ",
          draw_.one_of({"1h", "-1h", "20s", "-20s"}), replica_words(names_.replicas.front()), "}"});
  }
  void user_taint() {
    step({at(), ", apply_patch: {kind: Node, name: ", any_node(),
          ", add_taint: 'example.com/drained:NoExecute'}"});
  }
  void cordon() {
    step({at(), ", patch: {kind: Node, name: ", any_node(),
          ", merge: {spec: {unschedulable: ", draw_.one_of({"true", "null"}), "}}}"});
  }
  void relabel() {
    step({at(), ", patch: {kind: Node, name: ", any_node(),
          ", merge: {metadata: {labels: {topology.kubernetes.io/zone: ",
          draw_.one_of({"a", "b", "null"}), "}}}}"});
  }
  void untaint() {
    step({at(), ", patch: {kind: Node, name: ", any_node(), ", merge: {spec: {taints: null}}}"});
  }
  void delete_node() { step({at(), ", delete: {kind: Node, name: ", any_node(), "}"}); }
  void register_again() {
    const std::string node = any_node();
    const Duration at = draw_.time(span_.from, span_.until);
    step({"at: ", go_duration(at), ", delete: {kind: Node, name: ", node, "}"});
    step({"at: ", go_duration(at + draw_.time(0s, 3s)), ", apply: {", node_words(node), "}"});
  }
  void namesake() {
    if (names_.pods.empty()) return;
    const std::string pod = any_pod();
    const Duration at = draw_.time(span_.from, span_.until);
    step(
        {"at: ", go_duration(at), ", delete: {kind: Pod, name: ", pod, ", gracePeriodSeconds: 0}"});
    step({"at: ", go_duration(at + draw_.time(0s, 3s)), ", apply: {",
          pod_words(pod, "nodeName: " + any_node()), "}"});
  }
  /// Its answer nobody hears, nor what was to follow it.
  void restart_at_write() {
    struct Write {
      std::string_view verb;
      std::string_view resource;
    };
    constexpr std::array<Write, 4> writes{{{"PATCH", "nodes"},
                                           {"PATCH", "nodes, subresource: status"},
                                           {"PATCH", "pods, subresource: status"},
                                           {"DELETE", "pods"}}};
    const Write& write = draw_.one_of(writes);
    step({before(write.verb, write.resource, "'*'"), "restart: controller", any_replica(),
          ", down: ", draw_.one_of({"100ms", "1s", "20s"})});
  }
  void overtaken_deletion() {
    if (names_.pods.empty()) return;
    const std::string pod = any_pod();
    const std::string before_it = before("DELETE", "pods", pod);
    step({before_it, "delete: {kind: Pod, name: ", pod, ", gracePeriodSeconds: 0}"});
    step({before_it, "apply: {", pod_words(pod, "nodeName: " + any_node()), "}"});
  }
  void overtaken_taint() {
    const std::string node = any_node();
    step({before("PATCH", "nodes", node), "apply_patch: {kind: Node, name: ", node,
          ", add_taint: 'example.com/drained:", draw_.one_of({"NoExecute", "NoSchedule"}), "'}"});
  }
  void overtaken_untaint() {
    if (names_.pods.empty()) return;
    const std::string node = any_node();
    step({before("DELETE", "pods", "'*'"), "patch: {kind: Node, name: ", node,
          ", merge: {spec: {taints: null}}}"});
  }
  void delete_lease() {
    step({at(), ", delete: {kind: Lease, namespace: kube-node-lease, name: ", any_node(), "}"});
  }
  void write_policy(Duration at, std::string_view data) {
    step({"at: ", go_duration(at), ", apply: {", policy_words(data), "}"});
  }
  /// In peace nothing is paused any more, whatever a restore has brought back.
  Duration last_word() const { return span_.until + 25s; }
  void policy() {
    const Duration from = draw_.time(span_.from, span_.until);
    std::string data;
    if (draw_.chance(0.7)) {
      data += "pause: " +
              std::string(draw_.one_of({"evictions", "all", "evictions zone a", "evictons",
                                        "all nodes topology.kubernetes.io/zone=b"})) +
              ", ";
    }
    if (draw_.chance(0.4)) {
      data +=
          "pod-evictions-per-second: '" + std::string(draw_.one_of({"0.1", "0.5", "10"})) + "', ";
    }
    if (draw_.chance(0.2)) data += "pod-evictions-per-second-and-zone: '2', ";
    if (draw_.chance(0.2)) data += "hold-evictions-in-disruption: 'true', ";
    write_policy(from, data);
    write_policy(draw_.time(from, span_.until), "pause: none");
    write_policy(last_word(), "pause: none");
  }
  /// Each key is read for itself: one that nobody can read ends no pause and begins none.
  void half_a_policy() {
    const Duration from = draw_.time(span_.from, span_.until);
    const std::string good =
        "pause: " + std::string(draw_.one_of({"evictions", "all", "evictions zone a"}));
    const std::string bad(draw_.one_of(
        {"pod-evictions-per-second: fast", "pod-evictions-per-second: '1,5'",
         "pod-evictions-per-second-and-zone: '-1'", "hold-evictions-in-disruption: maybe",
         "pauze: none", "pod-evictions-per-minute: '3'"}));
    write_policy(from, draw_.chance(0.5) ? good + ", " + bad : bad + ", " + good);
    write_policy(last_word(), "pause: none");
  }
  /// From early on, and without a pause: many have to be due at once to show it.
  void pace() {
    const Duration from = draw_.time(span_.from, span_.from + 40s);
    const std::string pace(draw_.one_of({"0.05", "0.2", "1"}));
    write_policy(from, "pod-evictions-per-second: '" + pace + "'");
    write_policy(last_word(), "pause: none");
  }
  void pause_node() {
    const std::string node = any_node();
    const Duration from = draw_.time(span_.from, span_.until);
    const auto say = [&](Duration at, std::string_view word) {
      step({"at: ", go_duration(at), ", patch: {kind: Node, name: ", node,
            ", merge: {metadata: {annotations: {node-lifecycle-controller/pause: ", word, "}}}}"});
    };
    say(from, draw_.one_of({"evictions", "all"}));
    say(draw_.time(from, span_.until), "null");
    say(last_word(), "null");
  }
  void not_ready() { step({at(), ", heartbeat: {node: ", any_node(), ", ready: 'False'}"}); }
  /// Of one that was dead until now, or is: it renews its lease and cannot post its status.
  void lease_alone() {
    step({lasting(3min), ", every: 10s, renew_lease: {node: ", any_node(), "}"});
  }
};

struct TroubleKind {
  const char* name;
  void (Trouble::*add)();
};
constexpr auto trouble_kinds = std::to_array<TroubleKind>({
    {"fail_api: refused", &Trouble::refused},
    {"fail_api: outcome unknown", &Trouble::unknown_outcome},
    {"fail_api: unanswered", &Trouble::unanswered},
    {"fail_api: slow", &Trouble::slow},
    {"cache", &Trouble::cache},
    {"pause_api", &Trouble::pause_api},
    {"read_only", &Trouble::read_only},
    {"restore", &Trouble::restore},
    {"admission", &Trouble::admission},
    {"stale_reads", &Trouble::stale_reads},
    {"server_clock", &Trouble::server_clock},
    {"end_watches", &Trouble::end_watches},
    {"replay", &Trouble::replay},
    {"restart", &Trouble::restart},
    {"pause", &Trouble::pause},
    {"stop and start", &Trouble::stop},
    {"link", &Trouble::link},
    {"controller_clock", &Trouble::controller_clock},
    {"user: taint", &Trouble::user_taint},
    {"user: cordon", &Trouble::cordon},
    {"user: relabel", &Trouble::relabel},
    {"user: untaint", &Trouble::untaint},
    {"user: delete node", &Trouble::delete_node},
    {"user: register again", &Trouble::register_again},
    {"user: namesake", &Trouble::namesake},
    {"user: overtakes a deletion", &Trouble::overtaken_deletion},
    {"user: overtakes a taint", &Trouble::overtaken_taint},
    {"user: overtakes with an untaint", &Trouble::overtaken_untaint},
    {"user: delete lease", &Trouble::delete_lease},
    {"kubelet: not ready", &Trouble::not_ready},
    {"user: policy", &Trouble::policy},
    {"user: pace", &Trouble::pace},
    {"user: pause node", &Trouble::pause_node},
    {"admission: leases", &Trouble::refused_leases},
    {"fail_api: answered late", &Trouble::answered_late},
    {"restore: at once", &Trouble::restore_at_once},
    {"kubelet: lease alone", &Trouble::lease_alone},
    {"restart: at a write", &Trouble::restart_at_write},
    {"replay: ghosts", &Trouble::ghosts},
    {"fail_api: node writes refused", &Trouble::refused_node_writes},
    {"user: policy half readable", &Trouble::half_a_policy},
});

void Trouble::add() {
  const double share = draw_.chance(0.3) ? 0.08 : 0.25;
  for (const TroubleKind& kind : trouble_kinds) {
    if (!draw_.chance(share)) continue;
    for (int count = draw_.small(1, 3); count > 0; --count) {
      day_.timeline.push_back({.kind = kind.name, .texts = {}});
      (this->*kind.add)();
      if (day_.timeline.back().texts.empty()) day_.timeline.pop_back();  // there is no pod for it
    }
  }
}

}  // namespace

void add_trouble(Draw& draw, Day& day, const Names& names, Span span) {
  Trouble(draw, day, names, span).add();
}

std::vector<std::string> trouble_names() {
  std::vector<std::string> names{done_unanswered};
  for (const TroubleKind& kind : trouble_kinds) {
    if (kind.add != &Trouble::refused) names.emplace_back(kind.name);
  }
  for (const Refusal& refusal : refusals) {
    if (std::ranges::find(names, refusal.kind) == names.end()) names.emplace_back(refusal.kind);
  }
  return names;
}

}  // namespace nlc::sim::fuzz

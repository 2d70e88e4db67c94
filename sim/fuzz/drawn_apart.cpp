#include "sim/fuzz/drawn_apart.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "runtime/go_duration.h"
#include "sim/fuzz/day_steps.h"

namespace nlc::sim::fuzz {
namespace {

using namespace std::chrono_literals;

/// One function for each kind: it adds the steps of one occurrence.
class TroubleApart : private DaySteps {
 public:
  using DaySteps::DaySteps;

  /// To before the lock was made, and a moment later the versions are as far again: that the lock
  /// is missing is what shows it.
  void restore_to_the_beginning() {
    if (names_.pods.empty()) return;
    const Duration lost = draw_.time(100ms, 400ms);
    const Duration back = lost + draw_.time(50ms, 300ms);
    step({"at: 0s, backup: {}"});
    step({"at: ", go_duration(lost), ", delete: {kind: Pod, name: ", any_pod(),
          ", gracePeriodSeconds: 0}"});
    step({"at: ", go_duration(back), ", restore: {down: 0s}"});
    step({during({back + 20ms, back + 400ms}), ", every: 20ms, renew_lease: {node: ", any_node(),
          "}"});
  }
  /// As `kubectl delete pod` does: it stays where its kubelet is dead, or goes at once.
  void delete_pod() {
    if (names_.pods.empty()) return;
    const std::string now = draw_.chance(0.3) ? ", gracePeriodSeconds: 0" : "";
    step({at(), ", delete: {kind: Pod, name: ", any_pod(), now, "}"});
  }
  /// Whoever has waited for so long goes at once.
  void shorten_tolerations() {
    const std::string name = edited_pod(
        draw_.chance(0.5) ? outage_tolerations("90")
                          : "[{key: node.kubernetes.io/unreachable, operator: Exists, effect: "
                            "NoExecute}, {key: node.kubernetes.io/not-ready, operator: Exists, "
                            "effect: NoExecute}]");
    const std::string shorter = outage_tolerations(std::string(draw_.one_of({"0", "10", "30"})));
    edit_tolerations(at(), name, shorter);
  }
  /// Before anybody is tainted. Later it would come too late for an eviction that is on its way, as
  /// it may for any controller, and the rules know nothing of what a pod tolerated before.
  void add_toleration() {
    const std::string name = edited_pod("[]");
    const std::string when = "at: " + go_duration(draw_.time(6s, 15s));
    edit_tolerations(when, name,
                     draw_.chance(0.5) ? outage_tolerations("90") : "[{operator: Exists}]");
  }
  /// All of it, or one half where the lock is of two kinds.
  void delete_lock() {
    constexpr std::string_view flag = "leader-elect-resource-lock: ";
    std::string_view of = "leases";
    for (const Line& line : day_.flags) {
      const std::string_view text = line.texts.front();
      if (text.starts_with(flag)) of = text.substr(flag.size());
    }
    const bool twofold = of.size() > std::string_view("leases").size() && of.ends_with("leases");
    const bool lease = of == "leases" || (twofold && draw_.chance(0.5));
    const std::string_view older = of.starts_with("endpoints") ? "Endpoints" : "ConfigMap";
    step({at(), ", delete: {kind: ", lease ? "Lease" : older,
          ", namespace: kube-system, name: node-lifecycle-controller}"});
  }
  /// What a webhook adds to whatever is written, by anybody or by the controller alone.
  void adds_to_writes() {
    const std::string span = draw_.chance(0.3) ? during({0s, day_.ends}) : lasting(4min);
    const std::string_view by = draw_.chance(0.5) ? ", by: anybody" : "";
    step({span, ", admission: {resource: ", draw_.one_of({"nodes", "pods", "[nodes, pods]"}),
          ", subresource: '*'", by, ", mutate: {merge: {metadata: {",
          draw_.one_of({"annotations: {example.com/admitted: 'yes'}",
                        "labels: {example.com/admitted: 'yes'}"}),
          "}}}}"});
  }
  /// What a webhook takes out of what the controller writes, and tells it that all is well.
  void drops_from_writes() {
    step({lasting(90s), ", admission: {resource: ",
          draw_.one_of({"nodes, mutate: {remove_taint: 'node.kubernetes.io/unreachable:NoExecute'}",
                        "nodes, mutate: {keep: spec.taints}",
                        "nodes, subresource: status, mutate: {keep: status.conditions}",
                        "pods, subresource: status, mutate: {keep: status.conditions}"}),
          "}"});
  }
  /// A server of a release that cannot stream lists, or has that switched off.
  void lists_by_pages() {
    step({during({0s, day_.ends}),
          ", fail_api: {streams_list: true, respond: {code: 422, reason: Invalid}}"});
  }
  /// As every server of a release does, or one of several behind an address, the other of which has
  /// JSON alone, as all have on other days.
  void protobuf() {
    const std::string span = draw_.chance(0.7) ? during({0s, day_.ends}) : lasting(4min);
    step({span, ", speak_protobuf: {}"});
  }
  /// A list has some, but not so many that it were the same request again and again; what is listed
  /// anew may find its token gone.
  void small_pages() {
    constexpr std::size_t most_pages = 8;
    const std::string all_trouble = during({0s, span_.until});
    const auto drawn = static_cast<std::size_t>(draw_.whole(1, 5));
    const std::size_t most = std::max(names_.nodes.size(), names_.pods.size());
    const std::size_t objects = std::max(drawn, (most + most_pages - 1) / most_pages);
    step({all_trouble, ", fail_api: {streams_list: true, respond: {code: 422, reason: Invalid}}"});
    step({all_trouble, ", small_pages: {objects: ", std::to_string(objects), "}"});
    const Duration from = draw_.time(span_.from, span_.until - 5s);
    step({"at: ", go_duration(from + 100ms), ", end_watches: {how: expired}"});
    if (draw_.chance(0.5)) return;
    const Duration until = std::min(span_.until, from + draw_.time(5s, 1min));
    step({during({from, until}),
          ", fail_api: {verb: LIST, resource: '*', continued: true, respond: {code: 410, reason: "
          "Expired}, times: ",
          std::to_string(draw_.whole(1, 3)), "}"});
  }
  /// As with a --min-request-timeout of seconds, or a history that is next to nothing. Not in
  /// peace: who has to list again and again waits longer each time, and is behind meanwhile.
  void short_watches() {
    step({during({0s, span_.until}), ", every: ", draw_.one_of({"10s", "25s", "60s"}),
          ", end_watches: {how: ", draw_.one_of({"closed", "expired"}), "}"});
  }
  /// A watch cache of next to nothing: whose watch ended has to list anew. Not in peace either.
  void short_history() {
    const Span away = part(1s, 20s);
    step({during({0s, span_.until}), ", short_history: {events: ", draw_.one_of({"1", "3", "10"}),
          "}"});
    step({during(away), ", fail_api: {verb: WATCH, resource: '*', respond: {code: 503}}"});
    step({"at: ", go_duration(away.from + 100ms),
          ", end_watches: {how: ", draw_.one_of({"closed", "cut"}), "}"});
  }
  /// What one replica asks for is done, and all answers are lost.
  void answers_lost() {
    step({lasting(60s), ", fail_api: {resource: '*', subresource: '*'", any_replica(),
          ", respond: ", draw_.one_of({"drop", "hang"}), ", applied: true}"});
  }
  /// Inside an event or a list, now and then, and of what begins anew meanwhile.
  void breaks_inside_a_body() {
    const Span breaks = part(5s, 90s);
    const std::string_view what = draw_.one_of(
        {"verb: WATCH, resource: nodes", "verb: WATCH, resource: pods",
         "verb: WATCH, resource: leases", "verb: WATCH, resource: '*'",
         "verb: LIST, resource: '*', subresource: '*'", "resource: '*', subresource: '*'"});
    const std::string times = std::to_string(draw_.whole(1, 5));
    step({during(breaks), ", fail_api: {", what, any_replica(), ", respond: torn, times: ", times,
          "}"});
    step({"at: ", go_duration(breaks.from + 100ms),
          ", end_watches: {how: ", draw_.one_of({"closed", "cut", "expired"}), "}"});
  }
  /// Of what one replica asks for some does not arrive, and of what is done some answers do not.
  void lossy_link() {
    const std::string when = lasting(2min);
    const std::string replica = any_replica();
    const std::string_view how = draw_.one_of({"drop", "hang"});
    for (const char* applied : {"", ", applied: true"}) {
      const std::string share = std::to_string(draw_.whole(3, 15));
      step({when, ", fail_api: {resource: '*', subresource: '*'", replica, ", respond: ", how,
            applied, ", share: ", share, "%}"});
    }
  }
  /// Also that of a standby, which leads later.
  void any_controller_clock() {
    step({lasting(3min), ", controller_clock: {offset: ",
          draw_.one_of({"1h", "-1h", "20s", "-20s"}), any_replica(), "}"});
  }
  /// Its node is another machine for a moment, and says so when it is back.
  void reboot() {
    const std::string node = any_node();
    const Duration at = draw_.time(span_.from, span_.until);
    step({"at: ", go_duration(at), ", heartbeat: {node: ", node, ", ready: 'False'}"});
    step({"at: ", go_duration(at), ", patch: {kind: Node, name: ", node,
          ", merge: {status: {nodeInfo: {bootID: ", std::to_string(draw_.whole(1, 1'000'000)),
          "-boot}}}}"});
  }
  /// Of the lock or the probe, of an event: its answer nobody hears, nor what was to follow it.
  void restart_at_another_write() {
    struct Write {
      std::string_view verb;
      std::string_view resource;
    };
    constexpr auto writes = std::to_array<Write>({{"PUT", "leases"},
                                                  {"PUT", "leases"},
                                                  {"POST", "leases"},
                                                  {"PUT", "configmaps"},
                                                  {"PUT", "endpoints"},
                                                  {"POST", "events"}});
    const Write& write = draw_.one_of(writes);
    step({before(write.verb, write.resource, "'*'"), "restart: controller", any_replica(),
          ", down: ", draw_.one_of({"100ms", "1s", "20s"})});
  }
  /// Somebody has made it, and its kubelet has yet to say anything, or never does. Its grace is
  /// longer than that of all others, as the rules have it.
  void node_without_a_word() {
    const std::string name = "fresh-" + std::to_string(day_.given.size());
    const std::string labels(draw_.one_of({"", ", labels: {topology.kubernetes.io/zone: a}"}));
    day_.given.push_back(
        {.kind = "node: never reported",
         .texts = {"apiVersion: v1, kind: Node, metadata: {name: " + name + labels + "}"}});
    for (const char* seconds : {"0", "30"}) {
      day_.given.push_back(
          {.kind = "pod: on a node that never reported",
           .texts = {pod_words(name + "-" + seconds, "nodeName: " + name + ", tolerations: " +
                                                         outage_tolerations(seconds))}});
    }
    flag("flag: startup grace",
         "node-startup-grace-period: " + std::string(draw_.one_of({"60s", "90s", "2m"})));
    if (draw_.chance(0.5)) return;
    day_.timeline.back().kind = "node: reports late";
    const Duration from = draw_.time(5s, span_.until);
    for (const std::string& words : kubelet_words(name, from, day_.ends)) step({words});
  }
  /// From the beginning or by a user: one that counts for no zone's state any more, or all of them.
  void exclude_nodes() {
    constexpr std::size_t few = 12;
    const bool all = names_.nodes.size() <= few && draw_.chance(0.2);
    const Duration from = draw_.chance(0.5) ? Duration{100ms} : draw_.time(5s, span_.until);
    const Duration until = draw_.chance(0.3) ? draw_.time(from, span_.until) : Duration{0};
    const std::vector<std::string> nodes =
        all ? names_.nodes : std::vector<std::string>{any_node()};
    for (const std::string& node : nodes) {
      const auto label = [&](Duration moment, const char* value) {
        step({"at: ", go_duration(moment), ", patch: {kind: Node, name: ", node,
              ", merge: {metadata: {labels: {node.kubernetes.io/exclude-disruption: ", value,
              "}}}}"});
      };
      label(from, "''");
      if (until > from) label(until, "null");
    }
  }
  void hold_pods_ready() {
    flag("flag: pods stay ready", "hold-pods-ready-in-full-disruption: true");
  }

 private:
  /// Once, however often it is drawn.
  void flag(const char* kind, const std::string& text) {
    if (!has(day_.flags, kind)) day_.flags.push_back({.kind = kind, .texts = {text}});
  }
  /// One that nobody else does anything to; its name.
  std::string edited_pod(const std::string& tolerations) {
    std::string name = "edited-" + std::to_string(day_.given.size());
    day_.given.push_back(
        {.kind = "pod: edited",
         .texts = {pod_words(name, "nodeName: " + any_node() + ", tolerations: " + tolerations)}});
    return name;
  }
  void edit_tolerations(const std::string& when, const std::string& pod,
                        const std::string& tolerations) {
    step({when, ", patch: {kind: Pod, name: ", pod, ", merge: {spec: {tolerations: ", tolerations,
          "}}}"});
  }
};

bool any_day(const Day&) { return true; }
/// The turn of a node whose pods all go already is one that nobody sees.
bool by_taints(const Day& day) { return !by_timeouts(day); }
/// Of many nodes leases are listed again and again, each time all of them.
bool reads_single_leases(const Day& day) { return !has(day.given, "node: of many"); }
/// What a user has said comes back with no backup.
bool goes_one_way(const Day& day) { return !has(day.timeline, "restore"); }
/// A lock that is deleted while its holder does not hear of it has two leaders: who deletes it
/// has asked for that. Here everybody hears of it at once.
bool elects_undisturbed(const Day& day) {
  const bool elects = has(day.timeline, "replicas: several") ||
                      has(day.flags, "flag: short lease") || has(day.flags, "flag: long lease");
  return elects && std::ranges::all_of(day.timeline, [](const Line& line) {
           constexpr std::array<std::string_view, 7> harmless{
               "replicas: ", "kubelet: ", "user: ", "pod: ", "node: ", "replay", "protobuf"};
           return std::ranges::any_of(
               harmless, [&](std::string_view kind) { return line.kind.starts_with(kind); });
         });
}

struct KindApart {
  const char* name;
  void (TroubleApart::*add)();
  bool (*fits)(const Day&) = any_day;
  double share = apart_share;
};
constexpr auto kinds_apart = std::to_array<KindApart>({
    // The first, for others ask whether there is a restore.
    {"restore: to the beginning", &TroubleApart::restore_to_the_beginning},
    {"user: delete pod", &TroubleApart::delete_pod, by_taints},
    {"user: shorten tolerations", &TroubleApart::shorten_tolerations, goes_one_way},
    {"user: add toleration", &TroubleApart::add_toleration},
    {"admission: adds to writes", &TroubleApart::adds_to_writes},
    {"admission: drops from writes", &TroubleApart::drops_from_writes},
    {"lists by pages", &TroubleApart::lists_by_pages},
    {"protobuf", &TroubleApart::protobuf, any_day, 0.1},
    {"lists by small pages", &TroubleApart::small_pages, reads_single_leases},
    {"end_watches: until peace", &TroubleApart::short_watches},
    {"short_history", &TroubleApart::short_history},
    {"link: answers lost", &TroubleApart::answers_lost},
    {"link: breaks inside a body", &TroubleApart::breaks_inside_a_body},
    {"link: lossy", &TroubleApart::lossy_link},
    {"controller_clock: of any replica", &TroubleApart::any_controller_clock},
    {"kubelet: reboots", &TroubleApart::reboot},
    {"restart: at another write", &TroubleApart::restart_at_another_write},
    {"node: never reported", &TroubleApart::node_without_a_word},
    {"flag: pods stay ready", &TroubleApart::hold_pods_ready},
    {"node: excluded from disruption", &TroubleApart::exclude_nodes, any_day, 0.1},
    // The last of all, for it asks what else there is.
    {"user: delete lock", &TroubleApart::delete_lock, elects_undisturbed, 0.5},
});

}  // namespace

void add_trouble_apart(Day& day, const Names& names, Span span) {
  for (const KindApart& kind : kinds_apart) {
    Draw draw(day.seed, kind.name);
    if (!draw.chance(kind.share) || !kind.fits(day)) continue;
    for (int count = draw.small(1, 3); count > 0; --count) {
      day.timeline.push_back({.kind = kind.name, .texts = {}});
      (TroubleApart(draw, day, names, span).*kind.add)();
      if (day.timeline.back().texts.empty())
        day.timeline.pop_back();  // a flag, or there is no pod for it
    }
  }
}

std::vector<std::string> trouble_apart_names() {
  std::vector<std::string> names;
  for (const KindApart& kind : kinds_apart) names.emplace_back(kind.name);
  for (const char* other : {"pod: edited", "node: reports late", "flag: startup grace",
                            "pod: on a node that never reported"}) {
    names.emplace_back(other);
  }
  return names;
}

}  // namespace nlc::sim::fuzz

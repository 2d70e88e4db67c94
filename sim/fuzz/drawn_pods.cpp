#include "sim/fuzz/drawn_pods.h"

#include <array>
#include <string_view>

#include "sim/fuzz/day_steps.h"

namespace nlc::sim::fuzz {
namespace {

/// Of a day's nodes.
constexpr double share_of_nodes = 0.5;

/// Pods of one kind on a day. Each has a name of its own: what happens to others does not to it.
class OtherPods : private DaySteps {
 public:
  using DaySteps::DaySteps;

  void add(const char* kind, void (OtherPods::*one)(const std::string&)) {
    kind_ = kind;
    for (const std::string& node : names_.nodes) {
      if (draw_.chance(share_of_nodes)) (this->*one)(node);
    }
  }

  /// As the DaemonSet controller makes them.
  void of_a_daemon(const std::string& node) {
    add_pod("agent-" + node,
            "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: agent, "
            "controller: true}]",
            on(node) +
                "[{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute}, {key: "
                "node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute}]");
  }
  /// Of a kubelet's file: what the server has of it is its mirror. It goes with its node, and is
  /// nobody's dependent here, for a garbage collector deletes what the rules take for evicted.
  void mirror(const std::string& node) {
    add_pod("static-" + node,
            "annotations: {kubernetes.io/config.mirror: d41d8cd98f00b204e9800998ecf8427e, "
            "kubernetes.io/config.source: file}",
            on(node) + "[{operator: Exists, effect: NoExecute}]");
  }
  void finished(const std::string& node) {
    const std::string phase(draw_.one_of({"Succeeded", "Failed"}));
    add_pod("job-" + node, "", on(node) + "[]",
            "phase: " + phase + ", conditions: [{type: Ready, status: 'False'}]");
  }
  /// A user has deleted it, and its kubelet takes its time.
  void terminating(const std::string& node) {
    add_pod("leaving-" + node, "deletionTimestamp: '2026-01-01T11:59:00Z'", on(node) + "[]");
  }
  /// Who deletes it once more, with no grace, is told yes, and it stays.
  void with_a_finalizer(const std::string& node) {
    const std::string name = "held-" + node;
    add_pod(name, "finalizers: [example.com/detach]",
            on(node) + outage_tolerations(std::string(draw_.one_of({"0", "30"}))));
    if (draw_.chance(0.5)) return;
    day_.timeline.push_back({.kind = kind_, .texts = {}});
    step({at(), ", delete: {kind: Pod, name: ", name, ", gracePeriodSeconds: 0}"});
  }
  /// Nobody has found a node for it, or somebody does, whatever has become of that since.
  void unbound(const std::string& node) {
    const std::string name = "pending-" + node;
    add_pod(name, "", "tolerations: []", "phase: Pending");
    if (draw_.chance(0.3)) return;
    day_.timeline.push_back({.kind = "pod: bound later", .texts = {}});
    step({at(), ", patch: {kind: Pod, name: ", name, ", merge: {spec: {nodeName: ", node,
          "}, status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}}}"});
  }

 private:
  static std::string on(const std::string& node) { return "nodeName: " + node + ", tolerations: "; }
  /// As they stand inside the braces.
  void add_pod(const std::string& name, const std::string& metadata, const std::string& spec,
               const std::string& status = "conditions: [{type: Ready, status: 'True'}]") {
    day_.given.push_back({.kind = kind_,
                          .texts = {"apiVersion: v1, kind: Pod, metadata: {name: " + name +
                                    (metadata.empty() ? "" : ", ") + metadata + "}, spec: {" +
                                    spec + "}, status: {" + status + "}"}});
  }

  const char* kind_ = "";
};

struct PodKind {
  const char* name;
  void (OtherPods::*add)(const std::string&);
};
constexpr auto pod_kinds = std::to_array<PodKind>({
    {"pod: of a daemon", &OtherPods::of_a_daemon},
    {"pod: mirror", &OtherPods::mirror},
    {"pod: finished", &OtherPods::finished},
    {"pod: terminating", &OtherPods::terminating},
    {"pod: with a finalizer", &OtherPods::with_a_finalizer},
    {"pod: unbound", &OtherPods::unbound},
});

/// Whether one is called lost that goes already nobody sees, and the reference model would not know
/// of the turn.
bool turn_is_unseen(const Day& day, std::string_view kind) {
  return by_timeouts(day) && kind == "pod: terminating";
}

}  // namespace

void add_other_pods(Day& day, const Names& names, Span span) {
  for (const PodKind& kind : pod_kinds) {
    Draw draw(day.seed, kind.name);
    if (!draw.chance(apart_share) || turn_is_unseen(day, kind.name)) continue;
    OtherPods(draw, day, names, span).add(kind.name, kind.add);
  }
}

std::vector<std::string> other_pod_names() {
  std::vector<std::string> names;
  for (const PodKind& kind : pod_kinds) names.emplace_back(kind.name);
  names.emplace_back("pod: bound later");
  return names;
}

}  // namespace nlc::sim::fuzz

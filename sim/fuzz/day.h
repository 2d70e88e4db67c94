#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/time.h"

/// Days nobody thought of: whole clusters in trouble, each drawn from one number.
namespace nlc::sim::fuzz {

/// One thing of a day, as scenario files write it.
struct Line {
  std::string kind;                ///< what it is counted as: "pause_api", "pod: tolerates 30s"
  std::vector<std::string> texts;  ///< one line each; none makes sense without the others
};

/// A cluster, its users and its trouble, and peace at the end. All of it is lines of a scenario
/// file (docs/scenarios.md), so that a day, or what is left of it, can be kept and played again.
struct Day {
  std::uint64_t seed = 0;
  std::vector<Line> flags;     ///< `name: value`
  std::vector<Line> given;     ///< objects
  std::vector<Line> timeline;  ///< steps
  Duration trouble_ends{0};
  Duration ends{0};     ///< peace lasts from there to here: then all must be as it should
  bool settles = true;  ///< not where the day was cut short before that
};

/// `kind`: what it is counted as.
void add_flag(Day& day, const std::string& name, std::string_view value,
              const std::string& kind = "flag");

/// Whether any is of a kind that begins so.
bool has(const std::vector<Line>& lines, std::string_view kind);
/// Nodes get no NoExecute taints: each takes a turn with the first pod of it that is called lost.
bool by_timeouts(const Day& day);

/// Whom a day is about.
struct Names {
  std::vector<std::string> nodes;
  std::vector<std::string> pods;
  std::vector<std::string> replicas;
};

/// When something can go wrong.
struct Span {
  Duration from;
  Duration until;
};

/// As steps say it: "from: …, until: …".
std::string during(Span span);

/// How steps name a replica: ", replica: a", and nothing where there is one without a name.
std::string replica_words(const std::string& name);

/// Objects of a day; `labels`, `spec` and `data` as they stand inside the braces. Pods are Ready
/// from the start, and nodes unless it is said otherwise.
std::string node_words(const std::string& name, const std::string& labels = {},
                       const char* ready = "True");
std::string pod_words(const std::string& name, const std::string& spec);
/// What operators tell the controller while it runs.
std::string policy_words(std::string_view data);

/// The tolerations of a pod that tolerates an outage of its node for so many seconds.
std::string outage_tolerations(const std::string& seconds);

/// Steps: a node is there for a moment, not Ready, and a watch tells of it once more.
std::vector<std::string> ghost_words(const std::string& name, const std::string& labels,
                                     Duration at);

/// A kubelet from one offset to another: every ten seconds it renews its lease, and posts that it
/// is `ready` where the server says otherwise; `how` is what else both steps say.
std::vector<std::string> kubelet_words(const std::string& node, Duration from, Duration until,
                                       const std::string& how = {}, const char* ready = "True");

/// The day as a scenario file with one case.
std::string scenario_text(const Day& day);

}  // namespace nlc::sim::fuzz

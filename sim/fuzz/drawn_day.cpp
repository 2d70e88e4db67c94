#include "sim/fuzz/drawn_day.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "runtime/go_duration.h"
#include "sim/fuzz/draw.h"
#include "sim/fuzz/drawn_apart.h"
#include "sim/fuzz/drawn_faults.h"
#include "sim/fuzz/drawn_pods.h"
#include "sim/fuzz/drawn_replicas.h"
#include "sim/fuzz/stories.h"

namespace nlc::sim::fuzz {
namespace {

using namespace std::chrono_literals;

constexpr Duration trouble_begins = 20s;
/// Graces, the pace of evictions, the longest toleration, the longest back-off, and quiet.
constexpr Duration peace = 9min;
/// What may have to be asked for each in peace. A node: its lease and its status are read and
/// written, two taints come and go, it is read before its pods go, and told of in three events. A
/// pod: its status is written twice, it is deleted, each perhaps a second time, and told of in two.
constexpr double requests_of_a_node = 10;
constexpr double requests_of_a_pod = 8;
/// Of a limit is left for these beside what is asked all the time.
constexpr double share_of_a_limit = 0.5;
/// Of peace is left for them beside graces, tolerations, back-offs and quiet.
constexpr Duration spare_peace = 3min;
/// What is rare is drawn from numbers of its own: the rest of its day does not change by it.
constexpr std::uint64_t apart_from_it = 0xbf58476d1ce4e5b9;

/// What few days have, and what leaves all others as they are. Much of it shows together alone.
struct Rare {
  explicit Rare(Draw& draw)
      : large(draw.chance(0.01)),
        tight(draw.chance(large ? 0.2 : 0.04)),
        watches_refused(draw.chance(large ? 0.25 : 0.05)) {}

  const bool large;            ///< so many nodes that ways of the controller differ
  const bool tight;            ///< next to no requests a second
  const bool watches_refused;  ///< while what they are about may be listed
};

/// Each kubelet has one way through the day. One day in five has stories in the place of trouble.
class DayMaker {
 public:
  DayMaker(std::uint64_t seed, Duration peace_lasts)
      : peace_(peace_lasts),
        draw_(seed),
        beside_(~seed),
        apart_(seed ^ apart_from_it),
        rare_(apart_),
        of_stories_(beside_.chance(0.2)) {
    day_.seed = seed;
    day_.trouble_ends = draw_.time(1min, 5min);
    day_.ends = day_.trouble_ends + peace_;
    if (of_stories_) blackout();
  }

  Day made() && {
    flags();
    add_replicas(draw_, day_, names_);
    cluster();
    const Span span{trouble_begins, day_.trouble_ends};
    if (of_stories_) {
      add_stories(day_, names_.replicas, span);
    } else {
      add_trouble(draw_, day_, names_, span);
    }
    if (rare_.watches_refused) refuse_watches();
    if (!of_stories_) {
      add_other_pods(day_, names_, span);
      add_trouble_apart(day_, names_, span);
    }
    run_all_replicas(day_, names_);
    // How long a queue may be is known when all is drawn: the same is drawn once more.
    if (const Duration longer = queue(); peace_ == peace && longer > Duration{0}) {
      return DayMaker(day_.seed, peace + longer).made();
    }
    return std::move(day_);
  }

 private:
  void flags() {
    add_flag(day_, "node-monitor-grace-period", draw_.one_of({"30s", "40s", "50s"}));
    add_flag(day_, "node-monitor-period", draw_.one_of({"1s", "2s", "5s"}));
    if (draw_.chance(0.08)) {
      add_flag(day_, "node-eviction-rate", "0", "flag: no evictions");
    } else {
      add_flag(day_, "node-eviction-rate", draw_.one_of({"0.1", "0.5", "2", "10"}));
    }
    add_flag(day_, "secondary-node-eviction-rate", draw_.one_of({"0", "0.05", "1"}));
    add_flag(day_, "large-cluster-size-threshold", draw_.one_of({"3", "6", "50"}));
    add_flag(day_, "unhealthy-zone-threshold", draw_.one_of({"0.3", "0.55", "0.9"}));
    requests_per_second_ = draw_.chance(0.3) ? draw_.one_of(std::array{5, 20}) : 0;
    if (rare_.tight) {
      tight_limit();
    } else if (requests_per_second_ != 0) {
      add_flag(day_, "kube-api-qps", std::to_string(requests_per_second_));
    }
    if (draw_.chance(0.06)) {
      add_flag(
          day_, "pod-eviction-timeout",
          draw_.one_of({"30s, enable-taint-manager: false", "90s, enable-taint-manager: false"}),
          "flag: by timeouts");
    } else if (draw_.chance(0.05)) {
      add_flag(day_, "controllers", "node-lifecycle-controller",
               "flag: no taint-eviction-controller");
    } else if (draw_.chance(0.05)) {
      add_flag(day_, "controllers", "taint-eviction-controller",
               "flag: no node-lifecycle-controller");
    }
  }

  void tight_limit() {
    requests_per_second_ = apart_.one_of(rare_.large ? std::array{3, 5, 20} : std::array{1, 2, 5});
    const std::string_view burst =
        requests_per_second_ >= 5 ? "1" : apart_.one_of({"1", "2", "10"});
    add_flag(day_, "kube-api-qps",
             std::to_string(requests_per_second_) + ", kube-api-burst: " + std::string(burst),
             burst == "1" ? "flag: burst of one" : "flag: few requests a second");
  }

  /// For how long what is due when peace begins may wait for its turn at the client's limit.
  Duration queue() const {
    if (requests_per_second_ == 0) return Duration{0};
    double requests = 0;
    for (const Line& line : day_.given) {
      if (line.kind.starts_with("node: ")) requests += requests_of_a_node;
      if (line.kind.starts_with("pod: ")) requests += requests_of_a_pod;
    }
    const double seconds = requests / (requests_per_second_ * share_of_a_limit);
    const auto all =
        std::chrono::ceil<std::chrono::minutes>(std::chrono::duration<double>(seconds));
    return std::max<Duration>(all - spare_peace, Duration{0});
  }

  /// By who may list them alone, for a while or all day.
  void refuse_watches() {
    const std::string resource(apart_.one_of({"nodes", "pods", "leases", "'*'"}));
    const std::string how =
        ", fail_api: {verb: WATCH, resource: " + resource + ", respond: {code: 403}}";
    if (apart_.chance(0.4)) {
      day_.timeline.push_back(
          {.kind = "watches refused: all day", .texts = {during({0s, day_.ends}) + how}});
      return;
    }
    const Duration from = apart_.time(trouble_begins, day_.trouble_ends - 20s);
    const Duration until = apart_.time(from + 10s, day_.trouble_ends);
    const std::string which = resource == "'*'" ? "" : "resource: " + resource + ", ";
    day_.timeline.push_back(
        {.kind = "watches refused: for a while",
         .texts = {during({from, until}) + how,
                   "at: " + go_duration(from + 100ms) + ", end_watches: {" + which +
                       "how: " + std::string(apart_.one_of({"closed", "cut", "expired"})) + "}"}});
  }

  void cluster() {
    int zones = draw_.whole(0, 4);
    int nodes = draw_.chance(0.05) ? draw_.whole(20, 60) : draw_.small(1, 16);
    if (rare_.large) {
      zones = apart_.whole(0, 6);
      nodes = apart_.small(90, 200);
    }
    const bool lossy = draw_.chance(0.4);
    const bool skewed = draw_.chance(0.3);
    const bool mortal = draw_.chance(0.8);
    const double dying = draw_.chance(0.2) ? 0.9 : 0.25;
    const int most_pods = draw_.chance(0.15) ? 12 : 3;
    if (draw_.chance(0.35)) {
      outage_ = draw_.time(trouble_begins, day_.trouble_ends - 10s);
    }
    for (int i = 0; i < nodes; ++i) {
      const std::string name = "node-" + std::to_string(i);
      names_.nodes.push_back(name);
      node(name,
           zones == 0 ? "" : std::string(1, static_cast<char>('a' + draw_.small(0, zones - 1))));
      const bool dies = mortal && draw_.chance(dying);
      const bool loses = lossy && draw_.chance(0.3);
      kubelet(name, dies, loses, skewed && draw_.chance(0.3));
      for (int pod = draw_.small(0, most_pods); pod > 0; --pod) any_pod(name);
      // Whoever is given up while its kubelet is on its way back shows it.
      if (blackout_ && beside_.chance(0.5)) add_pod(name, "pod: tolerates nothing", "[]");
    }
  }

  void node(const std::string& name, const std::string& zone) {
    const std::string labels = zone.empty() ? "" : "topology.kubernetes.io/zone: " + zone;
    const char* const kind = zone.empty() ? "node: no zone" : "node: in a zone";
    day_.given.push_back(
        {.kind = rare_.large ? "node: of many" : kind, .texts = {node_words(name, labels)}});
  }

  void heartbeats(const std::string& node, Duration from, Duration until, const std::string& how,
                  const char* ready = "True") {
    const char* const exact = blackout_ ? "kubelet: cut off" : "kubelet: exact";
    const std::string kind = how.empty() ? exact : "kubelet: lossy or skewed";
    Line& line = day_.timeline.emplace_back(Line{.kind = kind, .texts = {}});
    for (const auto& [begin, end] : in_touch(from, until)) {
      std::ranges::move(kubelet_words(node, begin, end, how, ready),
                        std::back_inserter(line.texts));
    }
  }

  /// On some days no kubelet can reach the server for a time.
  void blackout() {
    const bool fits = day_.trouble_ends > trouble_begins + 2min;
    if (!beside_.chance(0.25) || !fits) return;
    const Duration from = beside_.time(trouble_begins, day_.trouble_ends - 110s);
    blackout_ = {from, std::min(day_.trouble_ends - 10s, from + beside_.time(90s, 150s))};
  }

  /// What of that time a kubelet can reach the server.
  std::vector<std::pair<Duration, Duration>> in_touch(Duration from, Duration until) {
    if (!blackout_) return {{from, until}};
    const auto [cut, healed] = *blackout_;
    const Duration again = healed + beside_.time(0s, 9s);
    if (until <= cut || from >= again) return {{from, until}};
    std::vector<std::pair<Duration, Duration>> spans;
    if (from < cut) spans.emplace_back(from, cut);
    if (until > again) spans.emplace_back(again, until);
    return spans;
  }

  void kubelet(const std::string& node, bool dies, bool loses, bool skewed) {
    std::string how;
    if (skewed) how += ", clock_offset: " + std::string(draw_.one_of({"1h", "-1h", "3s"}));
    const Duration phase = draw_.time(0s, 9s);
    if (loses) {
      // In peace nothing is lost.
      heartbeats(
          node, phase, day_.trouble_ends,
          how + ", loss: " + std::string(draw_.one_of({"5%", "30%", "60%"})) + ", jitter: 8s");
      heartbeats(node, day_.trouble_ends + 1s, day_.ends, how);
      return;
    }
    if (!dies) return heartbeats(node, phase, day_.ends, how);
    const Duration death = time_of_death();
    heartbeats(node, phase, death, how);
    if (draw_.chance(0.5)) {
      day_.timeline.back().kind = "kubelet: dies";
      return;
    }
    const bool ill = draw_.chance(0.2);
    heartbeats(node, draw_.time(death, day_.trouble_ends), day_.ends, how, ill ? "False" : "True");
    day_.timeline.back().kind =
        ill ? "kubelet: dies and comes back not ready" : "kubelet: dies and comes back";
  }

  /// Some days have an outage of many at once.
  Duration time_of_death() {
    if (!outage_) return draw_.time(trouble_begins, day_.trouble_ends);
    return *outage_ + draw_.time(0s, 5s);
  }

  void any_pod(const std::string& node) {
    struct Kind {
      const char* kind;
      std::string tolerations;
    };
    static const auto all = std::to_array<Kind>({
        {"pod: tolerates nothing", "[]"},
        {"pod: tolerates 30s", outage_tolerations("30")},
        {"pod: tolerates 30s", outage_tolerations("30")},
        {"pod: tolerates 90s", outage_tolerations("90")},
        {"pod: tolerates unreachable for ever",
         "[{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute}]"},
        {"pod: tolerates everything", "[{operator: Exists}]"},
    });
    const Kind& kind = draw_.one_of(all);
    add_pod(node, kind.kind, kind.tolerations);
  }

  void add_pod(const std::string& node, const char* kind, const std::string& tolerations) {
    const std::string name = "pod-" + std::to_string(names_.pods.size());
    names_.pods.push_back(name);
    day_.given.push_back(
        {.kind = kind,
         .texts = {pod_words(name, "nodeName: " + node + ", tolerations: " + tolerations)}});
  }

  const Duration peace_;
  Draw draw_;
  Draw beside_;  ///< what the rest of the day does not depend on
  Draw apart_;   ///< what few days have
  const Rare rare_;
  int requests_per_second_ = 0;  ///< by the client's limit; 0 where no flag sets one
  const bool of_stories_;
  Day day_;
  std::optional<Duration> outage_;
  std::optional<std::pair<Duration, Duration>> blackout_;
  Names names_;
};

}  // namespace

Day day_of(std::uint64_t seed) { return DayMaker(seed, peace).made(); }

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names{"node: no zone",
                                   "node: in a zone",
                                   "node: of many",
                                   "replicas: one",
                                   "replicas: several",
                                   "replicas: observer",
                                   "flag: no evictions",
                                   "flag: no taint-eviction-controller",
                                   "flag: no node-lifecycle-controller",
                                   "flag: by timeouts",
                                   "flag: exits when it has lost",
                                   "flag: short lease",
                                   "flag: long lease",
                                   "flag: burst of one",
                                   "flag: few requests a second",
                                   "watches refused: for a while",
                                   "watches refused: all day",
                                   "kubelet: exact",
                                   "kubelet: cut off",
                                   "kubelet: lossy or skewed",
                                   "kubelet: dies",
                                   "kubelet: dies and comes back",
                                   "kubelet: dies and comes back not ready",
                                   "pod: tolerates nothing",
                                   "pod: tolerates 30s",
                                   "pod: tolerates 90s",
                                   "pod: tolerates unreachable for ever",
                                   "pod: tolerates everything"};
    std::ranges::copy(other_pod_names(), std::back_inserter(names));
    std::ranges::copy(trouble_names(), std::back_inserter(names));
    std::ranges::copy(trouble_apart_names(), std::back_inserter(names));
    std::ranges::copy(story_names(), std::back_inserter(names));
    return names;
  }();
  return all;
}

}  // namespace nlc::sim::fuzz

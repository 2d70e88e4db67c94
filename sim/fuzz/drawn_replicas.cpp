#include "sim/fuzz/drawn_replicas.h"

#include <string>
#include <string_view>

#include "runtime/go_duration.h"

namespace nlc::sim::fuzz {
namespace {

using namespace std::chrono_literals;

class Replicas {
 public:
  Replicas(Draw& draw, Day& day, Names& names) : draw_(draw), day_(day), names_(names) {}

  /// One, or two or three that contend.
  void contenders() {
    const int count = draw_.chance(0.5) ? 1 : draw_.whole(2, 3);
    const bool elects = count > 1 || draw_.chance(0.3);
    const bool exits = elects && draw_.chance(0.2);
    const std::string again = exits ? ", restarts: 10s" : "";
    for (int i = 0; i < count; ++i) {
      names_.replicas.push_back(count == 1 ? "" : std::string(1, static_cast<char>('a' + i)));
      const Duration at = i == 0 ? Duration{0} : draw_.time(0s, 5s);
      day_.timeline.push_back({.kind = count == 1 ? "replicas: one" : "replicas: several",
                               .texts = {"at: " + go_duration(at) + ", start: controller" +
                                         replica_words(names_.replicas.back()) + again}});
    }
    if (exits) add_flag(day_, "on-lost", "exit", "flag: exits when it has lost");
    if (elects && draw_.chance(0.3)) lease_times();
    if (count == 1) {
      if (elects) add_flag(day_, "leader-elect", "true");
      return;
    }
    add_flag(day_, "standby", draw_.one_of({"warm", "cold"}));
    add_flag(day_, "leader-elect-resource-lock", lock_kind());
  }

  /// Beside those that act. It is stopped, paused and cut off like them.
  void observer() {
    if (!draw_.chance(0.1)) return;
    names_.replicas.emplace_back("watcher");
    day_.timeline.push_back(
        {.kind = "replicas: observer",
         .texts = {"at: 1s, start: controller, replica: watcher, flags: {observe: true}"}});
  }

 private:
  /// What was there first is drawn as ever: a kind that came later leaves the rest of a day as it
  /// is.
  std::string_view lock_kind() {
    const std::string_view drawn =
        draw_.one_of({"leases", "leases", "configmaps", "endpointsleases"});
    if (drawn == "leases" || Draw(day_.seed + 1).chance(0.5)) return drawn;
    return drawn == "configmaps" ? "endpoints" : "configmapsleases";
  }

  void lease_times() {
    if (draw_.chance(0.7)) {
      add_flag(
          day_, "leader-elect-lease-duration",
          draw_.one_of({"3s, leader-elect-renew-deadline: 2s, leader-elect-retry-period: 500ms",
                        "5s, leader-elect-renew-deadline: 3s, leader-elect-retry-period: 1s"}),
          "flag: short lease");
    } else {
      add_flag(day_, "leader-elect-lease-duration",
               "40s, leader-elect-renew-deadline: 30s, leader-elect-retry-period: 5s",
               "flag: long lease");
    }
  }

  Draw& draw_;
  Day& day_;
  Names& names_;
};

}  // namespace

void add_replicas(Draw& draw, Day& day, Names& names) {
  Replicas replicas(draw, day, names);
  replicas.contenders();
  replicas.observer();
}

void run_all_replicas(Day& day, const Names& names) {
  Line& line = day.timeline.emplace_back();
  line.kind = "peace";
  for (const std::string& name : names.replicas) {
    line.texts.push_back("at: " + go_duration(day.trouble_ends + 2s) + ", start: controller" +
                         replica_words(name));
  }
}

}  // namespace nlc::sim::fuzz

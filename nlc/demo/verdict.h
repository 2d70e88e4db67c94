#pragma once

#include <string>
#include <vector>

#include "report/node_observer.h"

/// What the demonstration measured, and whether that is what should have happened. Pure.
namespace nlc::workbench {

constexpr std::size_t demo_zones = 3;

/// What was done, and with which settings of the controller.
struct DemoPlan {
  std::size_t nodes = 100;
  std::size_t pods_per_node = 10;
  std::vector<std::string> victims;  ///< lost power
  std::string survivor;              ///< the one of them that got it back
  Duration grace = std::chrono::seconds(8);
  Duration monitor_period = std::chrono::seconds(1);
  Duration toleration = std::chrono::seconds(10);
};

struct Expectation {
  std::string text;
  bool met = false;
  std::string remark;  ///< what was seen instead
};

/// One delay over all nodes to which it happened.
struct Measurement {
  std::string name;
  std::vector<Duration> delays;
};

/// `ready_nodes` and `ready_pods` were counted before the power was cut.
struct DemoStart {
  std::size_t ready_nodes = 0;
  std::size_t ready_pods = 0;
};

std::vector<Expectation> judge(const report::NodeObserver& story, const DemoPlan& plan,
                               const DemoStart& start);
std::vector<Measurement> measure(const report::NodeObserver& story, const DemoPlan& plan);

/// "+12.3s", "0.04 s": for people.
std::string seconds_text(Duration duration, int digits);

/// The measurements as an aligned table, one line each.
std::string table_of(const std::vector<Measurement>& measurements);

}  // namespace nlc::workbench

#include "nlc/demo/verdict.h"

#include <algorithm>

#include "report/spread.h"
#include "report/text_table.h"

namespace nlc::workbench {
namespace {

using report::Moment;
using report::NodeObserver;
using report::NodeRecord;
using Between = std::optional<Duration>;

/// How late the controller may be, on a machine that does other things too.
constexpr Duration tolerance = std::chrono::seconds(3);
/// Watch events reach the demonstration a moment later than the controller, or a moment earlier.
constexpr Duration blur = std::chrono::milliseconds(300);

Between between(std::optional<Instant> from, std::optional<Instant> to) {
  if (!from || !to) return std::nullopt;
  return *to - *from;
}

Between between(const NodeRecord& seen, Moment from, Moment to) {
  return between(seen.first(from), seen.first(to));
}

Between silence_before_unknown(const NodeRecord& seen) {
  return between(seen.heartbeat_before_cut, seen.first(Moment::Unknown));
}

/// Collects, node by node, what is not as it should be.
class Check {
 public:
  explicit Check(std::string text) : expectation_{.text = std::move(text), .met = true} {}

  void demand(bool holds, const std::string& otherwise) {
    if (holds) return;
    expectation_.met = false;
    expectation_.remark += (expectation_.remark.empty() ? "" : "; ") + otherwise;
  }

  void demand_within(Between delay, Duration low, Duration high, const std::string& what) {
    if (!delay) return demand(false, what + " never");
    demand(*delay >= low && *delay <= high, what + " after " + seconds_text(*delay, 1));
  }

  Expectation result() && { return std::move(expectation_); }

 private:
  Expectation expectation_;
};

Expectation all_was_well(const DemoPlan& plan, const DemoStart& start) {
  Check check("before the power cut all " + std::to_string(plan.nodes) + " nodes and " +
              std::to_string(plan.nodes * plan.pods_per_node) + " pods were Ready");
  check.demand(start.ready_nodes == plan.nodes, std::to_string(start.ready_nodes) + " nodes");
  check.demand(start.ready_pods == plan.nodes * plan.pods_per_node,
               std::to_string(start.ready_pods) + " pods");
  return std::move(check).result();
}

Expectation silent_nodes_became_unknown(const NodeObserver& story, const DemoPlan& plan) {
  Check check("each silent node became Unknown when its grace of " + seconds_text(plan.grace, 0) +
              " had ended, not before");
  for (const std::string& node : plan.victims) {
    const NodeRecord& seen = story.of(node);
    check.demand_within(silence_before_unknown(seen), plan.grace - blur,
                        plan.grace + plan.monitor_period + tolerance, node);
  }
  return std::move(check).result();
}

Expectation silent_nodes_were_tainted(const NodeObserver& story, const DemoPlan& plan) {
  Check check("each was then tainted unreachable, NoSchedule and NoExecute");
  for (const std::string& node : plan.victims) {
    const NodeRecord& seen = story.of(node);
    check.demand(seen.count(Moment::NoSchedule) > 0, node + " lacks NoSchedule");
    check.demand_within(between(seen, Moment::Unknown, Moment::NoExecute), -blur,
                        plan.monitor_period + tolerance, node + " NoExecute");
  }
  return std::move(check).result();
}

Expectation pods_were_marked_not_ready(const NodeObserver& story, const DemoPlan& plan) {
  Check check("all their pods were marked NotReady");
  for (const std::string& node : plan.victims) {
    const NodeRecord& seen = story.of(node);
    const std::size_t marked = seen.count(Moment::PodNotReady);
    check.demand(marked == seen.pods,
                 node + ": " + std::to_string(marked) + " of " + std::to_string(seen.pods));
  }
  return std::move(check).result();
}

Expectation pods_were_deleted_in_time(const NodeObserver& story, const DemoPlan& plan) {
  Check check("all their pods were deleted when " + seconds_text(plan.toleration, 0) +
              " of toleration had run out, not before");
  const Duration least = plan.toleration - blur;
  for (const std::string& node : plan.victims) {
    const NodeRecord& seen = story.of(node);
    check.demand(seen.count(Moment::PodMarked) == seen.pods,
                 node + ": " + std::to_string(seen.count(Moment::PodMarked)) + " pods");
    check.demand_within(between(seen, Moment::NoExecute, Moment::PodMarked), least,
                        plan.toleration + tolerance, node + " first");
    check.demand_within(between(seen.first(Moment::NoExecute), seen.last(Moment::PodMarked)), least,
                        plan.toleration + tolerance, node + " last");
  }
  return std::move(check).result();
}

Expectation survivor_healed(const NodeObserver& story, const DemoPlan& plan) {
  Check check(plan.survivor + " came back: Ready, without taints, its pods ended");
  const NodeRecord& seen = story.of(plan.survivor);
  check.demand_within(between(seen, Moment::PowerBack, Moment::Ready), Duration{0}, tolerance,
                      "Ready");
  check.demand_within(between(seen, Moment::PowerBack, Moment::TaintsGone), Duration{0},
                      plan.monitor_period + tolerance, "taints gone");
  check.demand(seen.count(Moment::PodGone) == seen.pods,
               std::to_string(seen.count(Moment::PodGone)) + " pods gone");
  return std::move(check).result();
}

Expectation others_stayed_down(const NodeObserver& story, const DemoPlan& plan) {
  Check check("the others stayed Unknown and tainted");
  for (const std::string& node : plan.victims) {
    if (node == plan.survivor) continue;
    const NodeRecord& seen = story.of(node);
    check.demand(seen.count(Moment::Ready) == 0, node + " became Ready");
    check.demand(seen.count(Moment::TaintsGone) == 0, node + " lost its taints");
  }
  return std::move(check).result();
}

Expectation healthy_nodes_were_left_alone(const NodeObserver& story, const DemoPlan& plan) {
  Check check("none of the " + std::to_string(plan.nodes - plan.victims.size()) +
              " healthy nodes and none of their pods was touched");
  for (const std::string& node : story.touched_without_cause()) check.demand(false, node);
  return std::move(check).result();
}

}  // namespace

std::vector<Expectation> judge(const report::NodeObserver& story, const DemoPlan& plan,
                               const DemoStart& start) {
  return {all_was_well(plan, start),
          silent_nodes_became_unknown(story, plan),
          silent_nodes_were_tainted(story, plan),
          pods_were_marked_not_ready(story, plan),
          pods_were_deleted_in_time(story, plan),
          survivor_healed(story, plan),
          others_stayed_down(story, plan),
          healthy_nodes_were_left_alone(story, plan)};
}

std::vector<Measurement> measure(const report::NodeObserver& story, const DemoPlan& plan) {
  Measurement silence{"last renewal → Unknown", {}};
  Measurement lateness{"grace over → Unknown", {}};
  Measurement tainting{"Unknown → NoExecute", {}};
  Measurement marking{"Unknown → pods NotReady", {}};
  Measurement eviction{"NoExecute → pods deleted", {}};
  Measurement healing{"power back → taints gone", {}};
  const auto note = [](Measurement& measurement, Between delay) {
    if (delay) measurement.delays.push_back(*delay);
  };
  for (const std::string& node : plan.victims) {
    const NodeRecord& seen = story.of(node);
    const Between silent = silence_before_unknown(seen);
    note(silence, silent);
    if (silent) note(lateness, *silent - plan.grace);
    note(tainting, between(seen, Moment::Unknown, Moment::NoExecute));
    note(marking, between(seen.first(Moment::Unknown), seen.last(Moment::PodNotReady)));
    note(eviction, between(seen.first(Moment::NoExecute), seen.last(Moment::PodMarked)));
  }
  note(healing, between(story.of(plan.survivor), Moment::PowerBack, Moment::TaintsGone));
  return {silence, lateness, tainting, marking, eviction, healing};
}

std::string seconds_text(Duration duration, int digits) {
  const std::string text = report::fixed(report::seconds(duration), digits) + " s";
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  return is_zero && text.starts_with('-') ? text.substr(1) : text;
}

std::string table_of(const std::vector<Measurement>& measurements) {
  report::TextColumn names{.heading = {""}, .flush = report::Flush::Left, .least_width = 28};
  report::TextColumn least{.heading = {"min"}, .least_width = 8};
  report::TextColumn median{.heading = {"median"}, .least_width = 8};
  report::TextColumn most{.heading = {"max"}, .least_width = 8};
  for (const Measurement& measurement : measurements) {
    const report::Spread spread = report::spread_of(measurement.delays);
    const auto shown = [&](Duration delay) {
      return spread.count == 0 ? "-" : seconds_text(delay, 2);
    };
    names.cells.push_back(measurement.name);
    least.cells.push_back(shown(spread.least));
    median.cells.push_back(shown(spread.p50));
    most.cells.push_back(shown(spread.most));
  }
  return report::text_table({names, least, median, most}, "  ");
}

}  // namespace nlc::workbench

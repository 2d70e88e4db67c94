#include "nlc/demo_verdict.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace nlc::sim {
namespace {

using Between = std::optional<Duration>;

/// How late the controller may be, on a machine that does other things too.
constexpr Duration patience = std::chrono::seconds(3);
/// Watch events reach the demonstration a moment later than the controller, or a moment earlier.
constexpr Duration blur = std::chrono::milliseconds(300);

Between between(std::optional<Instant> from, std::optional<Instant> to) {
  if (!from || !to) return std::nullopt;
  return *to - *from;
}

Between silence_before_unknown(const DemoStory& story, const std::string& node) {
  return between(story.last_renewal(node), story.first(node, Moment::Unknown));
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

Expectation silent_nodes_became_unknown(const DemoStory& story, const DemoPlan& plan) {
  Check check("each silent node became Unknown when its grace of " + seconds_text(plan.grace, 0) +
              " had ended, not before");
  for (const std::string& node : plan.victims) {
    check.demand_within(silence_before_unknown(story, node), plan.grace - blur,
                        plan.grace + plan.monitor_period + patience, node);
  }
  return std::move(check).result();
}

Expectation silent_nodes_were_tainted(const DemoStory& story, const DemoPlan& plan) {
  Check check("each was then tainted unreachable, NoSchedule and NoExecute");
  for (const std::string& node : plan.victims) {
    check.demand(story.count(node, Moment::NoSchedule) > 0, node + " lacks NoSchedule");
    check.demand_within(
        between(story.first(node, Moment::Unknown), story.first(node, Moment::NoExecute)), -blur,
        plan.monitor_period + patience, node + " NoExecute");
  }
  return std::move(check).result();
}

Expectation pods_were_marked_not_ready(const DemoStory& story, const DemoPlan& plan) {
  Check check("all their pods were marked NotReady");
  for (const std::string& node : plan.victims) {
    const std::size_t marked = story.count(node, Moment::PodNotReady);
    check.demand(marked == story.pods_of(node), node + ": " + std::to_string(marked) + " of " +
                                                    std::to_string(story.pods_of(node)));
  }
  return std::move(check).result();
}

Expectation pods_were_deleted_in_time(const DemoStory& story, const DemoPlan& plan) {
  Check check("all their pods were deleted when " + seconds_text(plan.toleration, 0) +
              " of toleration had run out, not before");
  const Duration least = plan.toleration - blur;
  for (const std::string& node : plan.victims) {
    const std::optional<Instant> tainted = story.first(node, Moment::NoExecute);
    check.demand(story.count(node, Moment::PodMarked) == story.pods_of(node),
                 node + ": " + std::to_string(story.count(node, Moment::PodMarked)) + " pods");
    check.demand_within(between(tainted, story.first(node, Moment::PodMarked)), least,
                        plan.toleration + patience, node + " first");
    check.demand_within(between(tainted, story.last(node, Moment::PodMarked)), least,
                        plan.toleration + patience, node + " last");
  }
  return std::move(check).result();
}

Expectation survivor_healed(const DemoStory& story, const DemoPlan& plan) {
  Check check(plan.survivor + " came back: Ready, without taints, its pods ended");
  const std::optional<Instant> back = story.first(plan.survivor, Moment::PowerBack);
  check.demand_within(between(back, story.first(plan.survivor, Moment::Ready)), Duration{0},
                      patience, "Ready");
  check.demand_within(between(back, story.first(plan.survivor, Moment::TaintsGone)), Duration{0},
                      plan.monitor_period + patience, "taints gone");
  check.demand(story.count(plan.survivor, Moment::PodGone) == story.pods_of(plan.survivor),
               std::to_string(story.count(plan.survivor, Moment::PodGone)) + " pods gone");
  return std::move(check).result();
}

Expectation others_stayed_down(const DemoStory& story, const DemoPlan& plan) {
  Check check("the others stayed Unknown and tainted");
  for (const std::string& node : plan.victims) {
    if (node == plan.survivor) continue;
    check.demand(story.count(node, Moment::Ready) == 0, node + " became Ready");
    check.demand(story.count(node, Moment::TaintsGone) == 0, node + " lost its taints");
  }
  return std::move(check).result();
}

Expectation healthy_nodes_were_left_alone(const DemoStory& story, const DemoPlan& plan) {
  Check check("none of the " + std::to_string(plan.nodes - plan.victims.size()) +
              " healthy nodes and none of their pods was touched");
  for (const std::string& node : story.touched_without_cause()) check.demand(false, node);
  return std::move(check).result();
}

}  // namespace

std::vector<Expectation> judge(const DemoStory& story, const DemoPlan& plan,
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

std::vector<Measurement> measure(const DemoStory& story, const DemoPlan& plan) {
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
    const Between silent = silence_before_unknown(story, node);
    const std::optional<Instant> unknown = story.first(node, Moment::Unknown);
    note(silence, silent);
    if (silent) note(lateness, *silent - plan.grace);
    note(tainting, between(unknown, story.first(node, Moment::NoExecute)));
    note(marking, between(unknown, story.last(node, Moment::PodNotReady)));
    note(eviction,
         between(story.first(node, Moment::NoExecute), story.last(node, Moment::PodMarked)));
  }
  note(healing, between(story.first(plan.survivor, Moment::PowerBack),
                        story.first(plan.survivor, Moment::TaintsGone)));
  std::vector<Measurement> all{silence, lateness, tainting, marking, eviction, healing};
  for (Measurement& measurement : all) std::ranges::sort(measurement.delays);
  return all;
}

std::string seconds_text(Duration duration, int digits) {
  std::array<char, 32> text{};
  const double seconds = std::chrono::duration<double>(duration).count();
  std::snprintf(text.data(), text.size(), "%.*f s", digits, seconds);
  const std::string result = text.data();
  const bool is_zero = result.find_first_of("123456789") == std::string::npos;
  return is_zero && result.starts_with('-') ? result.substr(1) : result;
}

std::vector<std::string> table_of(const std::vector<Measurement>& measurements) {
  const auto row = [](const std::string& name, std::string_view min, std::string_view median,
                      std::string_view max) {
    // An arrow takes three bytes and one column.
    const bool arrow = name.find("→") != std::string::npos;
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), "  %-*s%10s%10s%10s", arrow ? 30 : 28, name.c_str(),
                  std::string(min).c_str(), std::string(median).c_str(), std::string(max).c_str());
    return std::string(text.data());
  };
  std::vector<std::string> lines{row("", "min", "median", "max")};
  for (const Measurement& measurement : measurements) {
    const std::vector<Duration>& delays = measurement.delays;
    if (delays.empty()) {
      lines.push_back(row(measurement.name, "-", "-", "-"));
      continue;
    }
    lines.push_back(row(measurement.name, seconds_text(delays.front(), 2),
                        seconds_text(delays[delays.size() / 2], 2),
                        seconds_text(delays.back(), 2)));
  }
  return lines;
}

}  // namespace nlc::sim

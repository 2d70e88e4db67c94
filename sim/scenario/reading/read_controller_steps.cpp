#include <algorithm>
#include <array>
#include <string>

#include "sim/scenario/reading/read_actions.h"
#include "sim/scenario/reading/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

/// "standby, lease held by somebody else until 300s", "standby, lease expires at 15s".
std::optional<Duration> held_until(Fields& fields) {
  const Yaml& as = fields.find("as");
  if (!as.is_defined()) return std::nullopt;
  const std::string text = scalar_text(as, "\"standby, lease … until DURATION\"");
  const std::size_t last = text.find_last_of(' ');
  if (!text.starts_with("standby") || last == std::string::npos) {
    throw Malformed{as.line, text + " found, \"standby, lease … until DURATION\" expected"};
  }
  return duration_of({.kind = Yaml::Kind::Text, .line = as.line, .text = text.substr(last + 1)});
}

void expect_controller(const Yaml& node) {
  if (!node.is_text() || node.text != "controller") refuse(node, "controller");
}

/// `replica: a`, or `leader: true`; neither: the only one.
Target target_in(Fields& fields) {
  Target target{.replica = fields.text("replica"),
                .leader = fields.truth("leader").value_or(false)};
  if (target.leader && !target.replica.empty()) {
    fields.refuse("replica beside leader", "one of the two");
  }
  return target;
}

/// By it a replica is told from others in the lock.
std::string new_replica_in(Fields& step) {
  std::string name = step.text("replica");
  if (std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7f; })) return name;
  throw Malformed{step.line(),
                  "a replica found whose name is not printable ASCII without spaces, one that is "
                  "expected"};
}

Action read_start(Fields& step) {
  return StartController{.replica = new_replica_in(step),
                         .held_until = held_until(step),
                         .flags = settings_of(step.find("flags")),
                         .restarts = step.span("restarts")};
}

template <SignalController::Signal signal>
Action read_signal(Fields& step) {
  return SignalController{target_in(step), signal};
}

Action read_restart(Fields& step) {
  return RestartController{.target = target_in(step),
                           .down = step.span("down").value_or(std::chrono::seconds(1))};
}

Action read_link(Fields& fields) {
  fields.need("state");
  const auto link = fields.choice<Link>(
      "state", "the state ", {{"up", Link::Up}, {"down", Link::Refused}, {"silent", Link::Silent}});
  return SetLink{.target = target_in(fields), .link = *link};
}

Action read_calendar(Fields& fields) {
  return SetCalendar{.target = target_in(fields), .offset = duration_of(fields.need("offset"))};
}

constexpr std::array<ActionKind, 2> machine_kinds{
    {{"link", "a link", read_link}, {"controller_clock", "a controller_clock", read_calendar}}};

struct ControllerStep {
  const char* key;
  Action (*read)(Fields&);
};
using Signal = SignalController::Signal;
constexpr std::array<ControllerStep, 6> controller_steps{{{"start", read_start},
                                                          {"stop", read_signal<Signal::Stop>},
                                                          {"kill", read_signal<Signal::Kill>},
                                                          {"pause", read_signal<Signal::Pause>},
                                                          {"resume", read_signal<Signal::Resume>},
                                                          {"restart", read_restart}}};

}  // namespace

std::span<const ActionKind> machine_actions() { return machine_kinds; }

std::optional<Action> controller_action_of(Fields& step) {
  for (const ControllerStep& known : controller_steps) {
    if (!step.has(known.key)) continue;
    expect_controller(step.find(known.key));
    return known.read(step);
  }
  return std::nullopt;
}

}  // namespace nlc::sim::scenario

#include <algorithm>
#include <array>
#include <string>

#include "sim/scenario/reading/read_actions.h"
#include "sim/scenario/reading/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

/// "standby, lease held by somebody else until 300s", "standby, lease expires at 15s".
std::optional<Duration> held_until(Fields& fields) {
  const YAML::Node as = fields.find("as");
  if (!as.IsDefined()) return std::nullopt;
  const std::string text = scalar_text(as, "\"standby, lease … until DURATION\"");
  const std::size_t last = text.find_last_of(' ');
  if (!text.starts_with("standby") || last == std::string::npos) {
    throw Malformed{line_of(as), text + " found, \"standby, lease … until DURATION\" expected"};
  }
  return duration_of(YAML::Node(text.substr(last + 1)));
}

void expect_controller(const YAML::Node& node) {
  if (!node.IsScalar() || node.Scalar() != "controller") {
    throw Malformed{line_of(node), flow_text(node) + " found, controller expected"};
  }
}

/// `replica: a`, or `leader: true`; neither: the only one.
Target target_in(Fields& fields) {
  Target target{.replica = fields.text("replica"),
                .leader = fields.truth("leader").value_or(false)};
  if (target.leader && !target.replica.empty()) {
    throw Malformed{fields.line(), "replica beside leader found, one of the two expected"};
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

Action read_stop(Fields& step) { return StopController{target_in(step)}; }

Action read_kill(Fields& step) { return KillController{target_in(step)}; }

Action read_pause(Fields& step) { return PauseController{target_in(step)}; }

Action read_resume(Fields& step) { return ResumeController{target_in(step)}; }

Action read_restart(Fields& step) {
  return RestartController{.target = target_in(step),
                           .down = step.span("down").value_or(std::chrono::seconds(1))};
}

Action read_link(const YAML::Node& node, Problems& problems) {
  struct Word {
    const char* state;
    Link link;
  };
  constexpr std::array<Word, 3> words{
      {{"up", Link::Up}, {"down", Link::Refused}, {"silent", Link::Silent}}};
  Fields fields(node, "a link", problems);
  SetLink cut{.target = target_in(fields)};
  const std::string state = fields.need_text("state");
  const auto* word = std::ranges::find(words, state, &Word::state);
  if (word == words.end()) {
    throw Malformed{fields.line(), "the state " + state + " found, up, down or silent expected"};
  }
  cut.link = word->link;
  fields.finish();
  return cut;
}

Action read_calendar(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "a controller_clock", problems);
  SetCalendar calendar{.target = target_in(fields), .offset = duration_of(fields.need("offset"))};
  fields.finish();
  return calendar;
}

struct ControllerStep {
  const char* key;
  Action (*read)(Fields&);
};
constexpr std::array<ControllerStep, 6> controller_steps{{{"start", read_start},
                                                          {"stop", read_stop},
                                                          {"kill", read_kill},
                                                          {"pause", read_pause},
                                                          {"resume", read_resume},
                                                          {"restart", read_restart}}};

}  // namespace

std::optional<Action> controller_action_of(Fields& step) {
  for (const ControllerStep& known : controller_steps) {
    if (!step.has(known.key)) continue;
    expect_controller(step.find(known.key));
    return known.read(step);
  }
  if (step.has("link")) return read_link(step.find("link"), step.problems());
  if (step.has("controller_clock")) {
    return read_calendar(step.find("controller_clock"), step.problems());
  }
  return std::nullopt;
}

}  // namespace nlc::sim::scenario

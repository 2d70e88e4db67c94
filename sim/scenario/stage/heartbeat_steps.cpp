#include "sim/scenario/stage/heartbeat_steps.h"

namespace nlc::sim::scenario {
namespace {

Step only_for(const Step& step, const std::string& node) {
  Step alone = step;
  if (auto* heartbeat = std::get_if<Heartbeat>(&alone.action)) heartbeat->nodes = {node};
  if (auto* renewal = std::get_if<RenewLease>(&alone.action)) renewal->nodes = {node};
  alone.text += " (" + node + ")";
  return alone;
}

}  // namespace

void HeartbeatSteps::add(const Step& step, std::size_t number) {
  const std::vector<std::string>& nodes = heartbeat_nodes(step);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    courses_.push_back(
        {.part = {.step = only_for(step, nodes[i]), .number = number},
         .heartbeats = HeartbeatSchedule(step, {.seed = env_.seed, .step = number, .node = i}),
         .coming = {},
         .next = {}});
    follow(courses_.back());
  }
}

void HeartbeatSteps::follow(Course& course) {
  course.coming = course.heartbeats.next();
  if (!course.coming) return;
  course.next = env_.executor.run_at(env_.origin + course.coming->at, [this, &course] {
    env_.perform(course.part, *course.coming);
    follow(course);
  });
}

const HeartbeatSteps::Part* HeartbeatSteps::find(const Step& step) const {
  for (const Course& course : courses_) {
    if (&course.part.step == &step) return &course.part;
  }
  return nullptr;
}

}  // namespace nlc::sim::scenario

#include "sim/scenario/stage/beating.h"

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

void Beating::add(const Step& step, std::size_t number) {
  const std::vector<std::string>& nodes = beating_nodes(step);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    courses_.push_back({.part = {.step = only_for(step, nodes[i]), .number = number},
                        .beats = Beats(step, {.seed = world_.seed, .step = number, .node = i}),
                        .coming = {},
                        .next = {}});
    follow(courses_.back());
  }
}

void Beating::follow(Course& course) {
  course.coming = course.beats.next();
  if (!course.coming) return;
  course.next = world_.executor.run_at(world_.origin + course.coming->at, [this, &course] {
    world_.perform(course.part, *course.coming);
    follow(course);
  });
}

const Beating::Part* Beating::find(const Step& step) const {
  for (const Course& course : courses_) {
    if (&course.part.step == &step) return &course.part;
  }
  return nullptr;
}

}  // namespace nlc::sim::scenario

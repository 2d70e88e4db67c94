#include "tests/conformance/unit_queue_world.h"

#include <variant>

#include "controller/rules/conditions.h"
#include "controller/rules/taints.h"
#include "tests/conformance/unit_words.h"

namespace nlc::conformance {
namespace {

using namespace std::chrono_literals;

/// A new token in every step of this world.
constexpr double a_token_a_step = 1e9;

api::Node node_with(const std::string& name, api::ConditionStatus ready) {
  api::Node node{.name = name, .uid = "uid-" + name, .created = unit_wall_start};
  node.conditions.push_back({.type = std::string(api::condition::ready),
                             .status = ready,
                             .reason = "KubeletNotReady",
                             .last_heartbeat = unit_wall_start,
                             .last_transition = unit_wall_start});
  return node;
}

api::Node counted_out(api::Node node) {
  node.labels.emplace_back(api::label::exclude_disruption, "");
  return node;
}

}  // namespace

QueueWorld::QueueWorld(double tokens_per_second)
    : now_(unit_start),
      policy_{.monitor_grace = 24h, .eviction_rate = tokens_per_second, .gathering = 0s},
      availability_(policy_.blind_after, unit_start),
      lifecycle_({stores_.view(), policy_, pauses_, availability_}, unit_start, 1) {
  stores_.nodes.set_listener(this);
  stores_.nodes.replace({});
  store(node_with("healthy", api::ConditionStatus::True));
  (void)lifecycle_.monitor_pass(at(), controller::Acting::Yes);
}

void QueueWorld::on_stored(informer::Slot slot, const api::Node& node, const api::Node* before) {
  lifecycle_.node_stored(slot, node, before, at());
}

void QueueWorld::on_removed(informer::Slot slot, const api::Node& node) {
  lifecycle_.node_removed(slot, node, now_);
}

controller::Moment QueueWorld::at() const {
  return {.now = now_,
          .wall = unit_wall_start + std::chrono::floor<WallTime::duration>(since_start())};
}

Duration QueueWorld::since_start() const { return now_ - unit_start; }

void QueueWorld::store(api::Node node) {
  node.resource_version = std::to_string(++version_);
  stores_.nodes.apply(std::move(node));
}

/// The NoSchedule taint is there already: it is written at once and is no business of a queue.
void QueueWorld::add(const std::string& name) {
  const std::optional<api::Node> known = stores_.nodes.find(name);
  if (known && !controller::is_ready(*known)) return store(*known);
  api::Node node = counted_out(node_with(name, api::ConditionStatus::False));
  node.taints.push_back({.key = std::string(controller::taint::not_ready),
                         .effect = std::string(api::effect::no_schedule)});
  store(std::move(node));
}

void QueueWorld::remove(const std::string& name) {
  if (!stores_.nodes.slot_of(name)) return;
  store(counted_out(node_with(name, api::ConditionStatus::True)));
}

/// Beside nodes that do not renew leases something has to prove that the server takes writes.
void QueueWorld::wait(Duration span) {
  for (const Instant end = now_ + span; now_ < end;) {
    now_ = std::min(now_ + 5s, end);
    availability_.prove(now_);
  }
}

void QueueWorld::set_rate(double tokens_per_second) {
  policy_.eviction_rate = tokens_per_second;
  (void)lifecycle_.monitor_pass(at(), controller::Acting::Yes);
}

void QueueWorld::write(const controller::SetTaints& decision) {
  api::Node node = *stores_.nodes.find(decision.node.name);
  node.taints = decision.taints;
  store(std::move(node));
  lifecycle_.written(decision.node, controller::NodePart::Spec, now_);
}

std::vector<QueueWorld::Call> QueueWorld::grant(
    const std::function<bool(const std::string&)>& fails) {
  std::vector<Call> calls;
  for (bool more = true; more;) {
    more = false;
    client::Room room = client::Room::unlimited();
    for (const controller::Decision& decision : lifecycle_.repair(at(), room)) {
      const auto* taints = std::get_if<controller::SetTaints>(&decision);
      if (taints == nullptr) continue;
      more = true;
      calls.push_back({.name = taints->node.name, .accepted = !fails(taints->node.name)});
      if (calls.back().accepted) {
        write(*taints);
      } else {
        lifecycle_.refused(taints->node, controller::NodePart::Spec,
                           {.fault = Fault::Throttled, .path = "unit"}, now_);
      }
    }
    wait(1us);
  }
  return calls;
}

std::vector<std::string> QueueWorld::drain() {
  wait(1h);  // whoever was refused may be tried again
  set_rate(a_token_a_step);
  wait(1us);
  std::vector<std::string> names;
  for (const Call& call : grant([](const std::string&) { return false; })) {
    names.push_back(call.name);
  }
  return names;
}

}  // namespace nlc::conformance

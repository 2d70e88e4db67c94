#include "controller/reports/pause_report.h"

#include <absl/strings/str_cat.h>
#include <ranges>

#include "controller/reports/event_texts.h"
#include "controller/zones/zone.h"

namespace nlc::controller {
namespace {

void add(std::string& list, const std::string& item) {
  if (!list.empty()) list += "; ";
  list += item;
}

/// What is asked for, in one line; empty where nothing is.
std::string shown(const OperatorPolicy& policy) {
  std::string text;
  for (const PauseOrder& order : policy.pauses) add(text, "pause: " + order.text);
  if (policy.pods_per_second > 0) {
    add(text, absl::StrCat("pod-evictions-per-second: ", policy.pods_per_second));
  }
  if (policy.pods_per_second_and_zone > 0) {
    add(text, absl::StrCat("pod-evictions-per-second-and-zone: ", policy.pods_per_second_and_zone));
  }
  if (policy.hold_in_disruption) add(text, "hold-evictions-in-disruption: true");
  return text;
}

/// Of lines that are about no node so many are told, and how many more there are.
constexpr std::size_t lines_told_max = 10;

/// Of the operator's lines those that may be mistyped, and what of them.
std::vector<std::string> orders_without_nodes(const OperatorPolicy& policy, View view) {
  std::vector<const PauseOrder*> orders;
  for (const PauseOrder& order : policy.pauses) {
    if (order.of != PauseOrder::Of::Everything) orders.push_back(&order);
  }
  if (orders.empty()) return {};
  view.nodes.each_slot([&](Slot slot) {
    if (orders.empty()) return;
    const api::Node node = view.nodes.at(slot);
    const std::string zone = zone_name(zone_key(node));
    std::erase_if(orders,
                  [&](const PauseOrder* order) { return order->is_about(zone, node.labels); });
  });
  std::vector<std::string> texts;
  for (const PauseOrder* order : orders | std::views::take(lines_told_max)) {
    texts.push_back("pause: " + order->text + " is about no node that is there");
  }
  if (orders.size() > lines_told_max) {
    texts.push_back(absl::StrCat("pause: … and ", orders.size() - lines_told_max,
                                 " more of its lines are about no node that is there"));
  }
  return texts;
}

/// To ask all nodes costs.
constexpr Duration asked_again_after = std::chrono::seconds(10);

constexpr std::string_view no_zones =
    "hold-evictions-in-disruption holds nobody, for zones are counted by "
    "node-lifecycle-controller, which --controllers leaves out";

std::string right_words() {
  return "the annotation " + std::string(api::annotation::pause) + " must be " +
         std::string(pause_words);
}

}  // namespace

void PauseReport::tell(OperatorHolds& holds, View view, bool leading, Instant now) {
  const std::string text = shown(holds.in_force().policy());
  look_for_nodes(holds, text, view, now);
  tell_policy(holds, text, leading);
  tell_trouble(holds.in_force(), leading, now);
  for (const Slot slot : holds.pauses().take_annotated()) {
    if (!view.nodes.holds(slot)) continue;
    tell_node(view.nodes.at(slot), holds.pauses().is_readable(slot), leading);
  }
  publish(holds);
}

/// Whom the operator's lines are about: at once when they are others, and now and then while nodes
/// are.
void PauseReport::look_for_nodes(OperatorHolds& holds, const std::string& text, View view,
                                 Instant now) {
  nodes_changed_ |= holds.pauses().take_nodes_changed();
  const bool due = nodes_changed_ && now >= ask_nodes_after_;
  if (!due && asked_about_ == text) return;
  asked_about_ = text;
  nodes_changed_ = false;
  ask_nodes_after_ = now + asked_again_after;
  without_nodes_ = orders_without_nodes(holds.in_force().policy(), view);
}

/// What was in force when this process came is no news, where it is nothing.
void PauseReport::tell_policy(const OperatorHolds& holds, std::string text, bool leading) {
  const PolicyInForce& in_force = holds.in_force();
  if (!in_force.known()) return;
  if (told_.value_or("") == text) return;
  told_ = text;
  if (text.empty()) text = "nothing is paused, no limit";
  env_.log.info("policy in force", {{"configmap", env_.place.key()}, {"says", text}});
  const auto does_nothing = [&](const std::string& problem) {
    env_.log.warning("a part of the policy does nothing",
                     {{"configmap", env_.place.key()}, {"problem", problem}});
  };
  if (holds.disruption_hold_has_no_zones()) does_nothing(std::string(no_zones));
  for (const std::string& problem : without_nodes_) {
    does_nothing(problem);
    add(text, problem);
  }
  if (leading) record(in_force, {.reason = "PolicyInForce", .message = "In force: " + text});
}

void PauseReport::tell_trouble(const PolicyInForce& in_force, bool leading, Instant now) {
  const std::string problem = in_force.trouble();
  const PolicyState state = in_force.state();
  // That the first list is not there yet is trouble only where somebody refused it.
  const bool waits = state == PolicyState::Unread && !in_force.is_refused();
  if (problem.empty() || waits) {
    malformed_.clear();
    if (trouble_.over(now)) {
      env_.log.info("policy is readable again", {{"configmap", env_.place.key()}});
    }
    return;
  }
  // What a server says may differ each time; what is wrong with a text is news when it is another.
  const bool is_news =
      state == PolicyState::Malformed && std::exchange(malformed_, problem) != problem;
  if (trouble_.met(name_of(state), now) || is_news) {
    env_.log.warning("policy cannot be read",
                     {{"configmap", env_.place.key()}, {"problem", problem}});
  }
  if (is_news && leading) {
    record(in_force, {.type = "Warning", .reason = "PolicyMalformed", .message = problem});
  }
}

void PauseReport::tell_node(const api::Node& node, bool readable, bool leading) {
  if (readable) {
    env_.log.info("node's pause is another",
                  {{"node", node.name}, {"pause", node.pause.empty() ? "none" : node.pause}});
    return;
  }
  env_.log.warning("node's pause cannot be read",
                   {{"node", node.name}, {"pause", node.pause}, {"problem", right_words()}});
  if (!leading) return;
  env_.events.record(
      subject_of(ref_of(node)),
      {.type = "Warning",
       .reason = "PauseMalformed",
       .message = "\"" + node.pause + "\" cannot be read: " + right_words() +
                  "; until it can be read evictions are paused, and everything where "
                  "that was said before"});
}

void PauseReport::publish(const OperatorHolds& holds) {
  const PolicyInForce& in_force = holds.in_force();
  const Pauses& pauses = holds.pauses();
  Published now{.state = in_force.state(),
                .known = in_force.known(),
                .trouble = in_force.trouble(),
                .unreadable = pauses.unreadable().size(),
                .evictions = pauses.count(Pause::Evictions),
                .all = pauses.count(Pause::All),
                .in_vain = holds.disruption_hold_has_no_zones(),
                .without_nodes = without_nodes_};
  if (published_ == now) return;
  published_ = std::move(now);
  env_.metrics.set_policy(name_of(published_->state));
  env_.metrics.paused_nodes("evictions").set(static_cast<double>(published_->evictions));
  env_.metrics.paused_nodes("all").set(static_cast<double>(published_->all));
  publish_page();
}

void PauseReport::publish_page() {
  check_ = {.name = "policy", .ok = published_->known, .detail = published_->trouble};
  const auto tell = [&](std::size_t nodes, const std::string& text) {
    if (nodes > 0) add(check_.detail, std::to_string(nodes) + " nodes: " + text);
  };
  tell(published_->unreadable, "their pause cannot be read, " + right_words());
  if (!published_->known) return;
  if (published_->in_vain) add(check_.detail, std::string(no_zones));
  for (const std::string& problem : published_->without_nodes) add(check_.detail, problem);
  check_.warns = !check_.detail.empty();
  tell(published_->evictions, "evictions are paused");
  tell(published_->all, "everything is paused");
}

void PauseReport::record(const PolicyInForce& in_force, const client::EventText& text) {
  env_.events.record({.kind = "ConfigMap",
                      .namespace_ = env_.place.namespace_,
                      .name = env_.place.name,
                      .uid = in_force.uid()},
                     text);
}

}  // namespace nlc::controller

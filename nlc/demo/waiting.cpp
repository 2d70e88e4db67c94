#include "nlc/demo/waiting.h"

#include <algorithm>

#include "runtime/earlier.h"
#include "runtime/go_duration.h"
#include "sim/kubelet/hollow_cluster.h"

namespace nlc::workbench {
namespace {

using report::NodeRecord;

/// The first of them that is still to come; nothing where all have come.
template <typename Due>
std::optional<Instant> next_of(const report::NodeObserver& story, const DemoPlan& plan, Due due) {
  std::optional<Instant> next;
  for (const std::string& node : plan.victims) {
    next = earlier(next, due(story.of(node)));
  }
  return next;
}

std::string sign_of(const NodeRecord& node) {
  if (node.facts.no_execute) return inked("x", Ink::Red, true);
  if (node.facts.ready == api::ConditionStatus::Unknown) return inked("?", Ink::Red, true);
  if (node.facts.ready == api::ConditionStatus::True) return inked("■", Ink::Green, true);
  return inked("·", Ink::Faint, true);
}

std::string strip_of(const report::NodeObserver& story, const DemoPlan& plan, std::size_t zone) {
  std::string signs;
  std::size_t ready = 0;
  std::size_t all = 0;
  for (std::size_t i = zone; i < plan.nodes; i += demo_zones) {
    const NodeRecord& node = story.of("hollow-" + std::to_string(i));
    signs += sign_of(node);
    ready += node.facts.ready == api::ConditionStatus::True ? 1 : 0;
    ++all;
  }
  return "  " + sim::zone_name(static_cast<std::uint32_t>(zone)) + "  " + signs + "  " +
         std::to_string(ready) + " of " + std::to_string(all) + " Ready";
}

}  // namespace

Awaited awaited_in_silence(const report::NodeObserver& story, const DemoPlan& plan) {
  const auto unknown = next_of(story, plan, [&](const NodeRecord& node) -> std::optional<Instant> {
    if (node.first(Moment::Unknown) || !node.heartbeat_before_cut) return std::nullopt;
    return *node.heartbeat_before_cut + plan.grace;
  });
  if (unknown) {
    return {"they are Unknown: no renewal for the grace of " + go_duration(plan.grace), unknown};
  }
  const auto left = next_of(story, plan, [&](const NodeRecord& node) -> std::optional<Instant> {
    const std::optional<Instant> tainted = node.first(Moment::NoExecute);
    if (!tainted || node.count(Moment::PodMarked) == node.pods) return std::nullopt;
    return *tainted + plan.toleration;
  });
  if (left) {
    return {"their pods leave: they tolerate the taint for " + go_duration(plan.toleration), left};
  }
  const bool all_tainted = std::ranges::all_of(plan.victims, [&](const std::string& node) {
    return story.of(node).first(Moment::NoExecute).has_value();
  });
  return {all_tainted ? "power for " + plan.survivor
                      : "the taint NoExecute, one a second and zone"};
}

std::string waiting_text(const report::NodeObserver& story, const DemoPlan& plan,
                         const Awaited& awaited, Instant now) {
  std::string text;
  for (std::size_t zone = 0; zone < demo_zones; ++zone) text += strip_of(story, plan, zone) + "\n";
  if (!awaited.at) return text + inked("  next  " + awaited.what, Ink::Faint, true);
  const Duration left = std::max<Duration>(*awaited.at - now, Duration{0});
  return text + "  in " + seconds_text(left, 1) + "  " + awaited.what;
}

}  // namespace nlc::workbench

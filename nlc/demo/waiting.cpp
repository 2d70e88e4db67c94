#include "nlc/demo/waiting.h"

#include <algorithm>
#include <string_view>

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

/// How a node stands in its strip.
struct Sign {
  std::string_view mark;
  Ink ink;
  std::string_view meaning;
};
constexpr Sign ready_sign{"■", Ink::Green, "Ready"};
constexpr Sign silent_sign{"□", Ink::Yellow, "Ready, silent within its grace"};
constexpr Sign unknown_sign{"?", Ink::Red, "Unknown"};
constexpr Sign no_execute_sign{"x", Ink::Red, "NoExecute"};
constexpr Sign not_ready_sign{"·", Ink::Faint, "not Ready"};

std::string drawn(const Sign& sign) { return inked(sign.mark, sign.ink, true); }

/// A kubelet renews four times in the duration of its lease, which is the grace here. That a
/// renewal was missed is told when the next one is due: until then it may only be late.
bool is_silent(const NodeRecord& node, const DemoPlan& plan, Instant now) {
  return node.facts.ready == api::ConditionStatus::True && node.last_heartbeat &&
         now - *node.last_heartbeat > 2 * (plan.grace / 4);
}

const Sign& sign_of(const NodeRecord& node, const DemoPlan& plan, Instant now) {
  if (node.facts.no_execute) return no_execute_sign;
  if (node.facts.ready == api::ConditionStatus::Unknown) return unknown_sign;
  if (is_silent(node, plan, now)) return silent_sign;
  return node.facts.ready == api::ConditionStatus::True ? ready_sign : not_ready_sign;
}

std::string legend() {
  std::string line;
  for (const Sign& sign :
       {ready_sign, silent_sign, unknown_sign, no_execute_sign, not_ready_sign}) {
    line += "  " + drawn(sign) + " " + inked(sign.meaning, Ink::Faint, true);
  }
  return line;
}

std::string strip_of(const report::NodeObserver& story, const DemoPlan& plan, std::size_t zone,
                     Instant now) {
  std::string signs;
  std::size_t ready = 0;
  std::size_t silent = 0;
  std::size_t all = 0;
  for (std::size_t i = zone; i < plan.nodes; i += demo_zones) {
    const NodeRecord& node = story.of("hollow-" + std::to_string(i));
    signs += drawn(sign_of(node, plan, now));
    silent += is_silent(node, plan, now) ? 1 : 0;
    ready += node.facts.ready == api::ConditionStatus::True ? 1 : 0;
    ++all;
  }
  return "  " + sim::zone_name(static_cast<std::uint32_t>(zone)) + "  " + signs + "  " +
         std::to_string(ready) + " of " + std::to_string(all) + " Ready" +
         (silent > 0 ? ", " + std::to_string(silent) + " of them silent" : "");
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
  for (std::size_t zone = 0; zone < demo_zones; ++zone) {
    text += strip_of(story, plan, zone, now) + "\n";
  }
  text += legend() + "\n";
  if (!awaited.at) return text + inked("  next  " + awaited.what, Ink::Faint, true);
  const Duration left = std::max<Duration>(*awaited.at - now, Duration{0});
  return text + "  in " + seconds_text(left, 1) + "  " + awaited.what;
}

}  // namespace nlc::workbench

#include "controller/pods/seen_taints.h"

#include <algorithm>
#include <utility>

#include "controller/rules/conditions.h"
#include "controller/rules/taints.h"

namespace nlc::controller {
namespace {

/// A node that is Ready contradicts the taints that say it is not: they are on their way out.
std::vector<api::Taint> evicting_taints(const api::Node& node) {
  std::vector<api::Taint> found;
  for (const api::Taint& taint : node.taints) {
    if (taint.effect != api::effect::no_execute) continue;
    if (is_managed_no_execute(taint) && is_ready(node)) continue;
    found.push_back(taint);
  }
  return found;
}

/// The same for all tolerations.
bool is_unchanged(const api::Taint& before, const api::Taint& now) {
  return api::same_taint(before, now) && before.value == now.value;
}

bool same_timers(const std::vector<SeenTaint>& left, const std::vector<SeenTaint>& right) {
  return std::ranges::equal(left, right, [](const SeenTaint& a, const SeenTaint& b) {
    return is_unchanged(a.taint, b.taint) && a.since == b.since;
  });
}

/// By the account of whoever wrote it. Seconds are cut off when a time is written: it may be nearly
/// one second younger than it says, and no pod may go early.
Instant instant_of(std::optional<WallTime> written, Moment at) {
  if (!written) return at.now;
  return at.now - std::max(age_of(*written, at) - std::chrono::seconds(1), Duration{0});
}

/// What `taint` was before, or else the other outage taint, whose place it has taken; null where
/// neither was there.
const SeenTaint* predecessor(const api::Taint& taint, const std::vector<SeenTaint>& before,
                             const std::vector<api::Taint>& now_there) {
  const auto is_same = [&](const SeenTaint& seen) { return api::same_taint(seen.taint, taint); };
  const auto gave_way = [&](const SeenTaint& seen) {
    const bool gone = std::ranges::none_of(
        now_there, [&](const api::Taint& other) { return api::same_taint(other, seen.taint); });
    return gone && is_managed_no_execute(seen.taint) && is_managed_no_execute(taint);
  };
  auto found = std::ranges::find_if(before, is_same);
  if (found == before.end()) found = std::ranges::find_if(before, gave_way);
  return found == before.end() ? nullptr : &*found;
}

}  // namespace

SeenTaints::Change SeenTaints::node_stored(const api::Node& node, Moment at) {
  const std::vector<api::Taint> taints = evicting_taints(node);
  const auto known = taints_.find(node.name);
  if (taints.empty() && known == taints_.end()) return {};
  const std::vector<SeenTaint> known_so_far =
      known == taints_.end() ? std::vector<SeenTaint>() : known->second;
  std::vector<SeenTaint> seen;
  bool another = false;
  for (const api::Taint& taint : taints) {
    const auto same = [&](const SeenTaint& old) { return is_unchanged(old.taint, taint); };
    another = another || std::ranges::none_of(known_so_far, same);
    seen.push_back(seen_as(node, taint, predecessor(taint, known_so_far, taints), at));
  }
  const Change change{.had_or_has = true,
                      .another = another && !known_so_far.empty(),
                      .timers = !same_timers(known_so_far, seen)};
  if (seen.empty()) {
    taints_.erase(known);
  } else {
    taints_.insert_or_assign(node.name, std::move(seen));
  }
  return change;
}

std::vector<std::string> SeenTaints::trust_wall_clock(bool close, Moment at) {
  std::vector<std::string> nodes;
  if (std::exchange(wall_clock_close_, close) == close) return nodes;
  for (auto& [name, taints] : taints_) {
    nodes.push_back(name);
    const std::optional<api::Node> node = view_.nodes.find(name);
    for (SeenTaint& seen : taints) {
      if (!node || !seen.inherited) continue;
      seen.since = std::min(seen.first_seen, added(*node, seen.taint, at));
    }
  }
  return nodes;
}

std::optional<Instant> SeenTaints::by_account(std::optional<WallTime> written, Moment at) const {
  return wall_clock_close_ ? std::optional(instant_of(written, at)) : std::nullopt;
}

/// A taint that was there before keeps its moment, however often it is written; the one that takes
/// the place of the other outage taint goes on with that one's. Whoever watched the node without
/// the taint knows better than its `timeAdded`, which anybody may write.
SeenTaint SeenTaints::seen_as(const api::Node& node, const api::Taint& taint,
                              const SeenTaint* before, Moment at) const {
  if (before != nullptr) {
    const bool another = may_be_another(*before, taint);
    return {.taint = taint,
            .since = another ? std::max(before->since, added(node, taint, at)) : before->since,
            .inherited = before->inherited && api::same_taint(before->taint, taint),
            .first_seen = before->first_seen};
  }
  const bool inherited = !view_.nodes.synced();
  return {.taint = taint,
          .since = inherited ? added(node, taint, at) : at.now,
          .inherited = inherited,
          .first_seen = at.now};
}

/// While nobody looked it may have been taken off and set again.
bool SeenTaints::may_be_another(const SeenTaint& seen, const api::Taint& taint) const {
  return view_.nodes.catching_up() && taint.time_added != seen.taint.time_added;
}

/// By the objects' own account, which is believed while clocks are close. A taint of the node's
/// condition is as young as that: the node may have been well in between, with nobody there to take
/// the taint off.
Instant SeenTaints::added(const api::Node& node, const api::Taint& taint, Moment at) const {
  if (!wall_clock_close_) return at.now;
  const Instant written = instant_of(taint.time_added, at);
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  if (!is_managed_no_execute(taint) || ready == nullptr || !ready->last_transition) return written;
  return std::max(written, instant_of(ready->last_transition, at));
}

}  // namespace nlc::controller

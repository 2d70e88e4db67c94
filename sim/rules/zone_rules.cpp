#include "sim/rules/zone_rules.h"

#include <algorithm>

#include "runtime/go_duration.h"
#include "sim/rules/node_facts.h"

namespace nlc::sim::rules {

void ZoneRules::count(const NodesSeen& nodes, Instant at) {
  for (auto& [name, zone] : zones_) zone.ready = zone.others = 0;
  bool any_ready = false;
  gone_ready_.clear();
  for (const auto& [name, seen] : nodes) {
    if (seen.gone_since) {
      if (is_ready(seen.node)) gone_ready_.insert(name);
      continue;
    }
    Zone& zone = zones_[zone_of(seen.node)];
    ++(is_ready(seen.node) ? zone.ready : zone.others);
    any_ready = any_ready || is_ready(seen.node);
  }
  if (none_ready_since_ && any_ready && at - *none_ready_since_ > under_way) {
    none_ready_ = Terms::Closed{.from = *none_ready_since_, .until = at};
  }
  follow(none_ready_since_, !any_ready, at);
  for (auto& [name, zone] : zones_) {
    const auto all = static_cast<double>(zone.ready + zone.others);
    const bool partial = zone.ready > 0 && zone.others > 2 &&
                         static_cast<double>(zone.others) / all >= terms_.unhealthy_zone_threshold;
    if (zone.partial_since && !partial) zone.partial_until = at;
    follow(zone.partial_since, partial, at);
  }
}

void ZoneRules::judge_pace(const std::string& zone, Instant at, double slowest) {
  Zone& seen = zones_[zone];
  seen.grants.push_back(at);
  for (std::size_t i = seen.grants.size(); i-- > 0;) {
    const Instant from = seen.grants[i];
    const auto begun = std::ranges::count_if(
        takeovers_, [&](Instant takeover) { return takeover >= from && takeover <= at; });
    const double span =
        std::chrono::duration<double>(at - from + terms_.monitor_period + arrival).count();
    const double nodes_per_second = std::max(rate(seen, from, at), slowest);
    const double most = 1 + static_cast<double>(begun) + nodes_per_second * span;
    const auto count = static_cast<double>(seen.grants.size() - i);
    if (count <= most + 0.001) continue;
    return verdict_.break_rule("pace", std::to_string(seen.grants.size() - i) + " nodes of zone " +
                                           zone + " were evicted within " + go_duration(at - from));
  }
}

void ZoneRules::judge_disruption(const std::string& what, Instant at) {
  const std::optional<Instant> since = none_believed_ready_since(at);
  if (!since || at - *since <= under_way) return;
  verdict_.break_rule("disruption",
                      what + " while no node has been Ready for " + go_duration(at - *since));
}

std::optional<Terms::Closed> ZoneRules::just_ended(Instant at) const {
  const bool lately =
      none_ready_ && at > none_ready_->until && at <= none_ready_->until + kubelets_look;
  return lately ? none_ready_ : std::nullopt;
}

/// One that is gone and was told of again as Ready counts for whoever only watches.
std::optional<Instant> ZoneRules::none_believed_ready_since(Instant at) const {
  std::optional<Instant> since = none_ready_since_;
  for (const Terms::ToldAgain& told : terms_.told_again) {
    const bool counts = since && told.from <= at && told.until > *since;
    if (!counts || !gone_ready_.contains(told.node)) continue;
    since = told.until < at ? std::optional(told.until) : std::nullopt;
  }
  return since;
}

std::optional<Instant> ZoneRules::last_granted(const std::string& zone) const {
  const auto found = zones_.find(zone);
  if (found == zones_.end() || found->second.grants.empty()) return std::nullopt;
  return found->second.grants.back();
}

std::optional<Instant> ZoneRules::last_left(const std::string& zone) const {
  const auto found = zones_.find(zone);
  return found == zones_.end() ? std::nullopt : found->second.last_left;
}

/// The most that a zone may be granted at any moment of that time: its normal rate, unless it has
/// been partly disrupted for so long that everybody knows, or was so until a moment ago.
double ZoneRules::rate(const Zone& zone, Instant from, Instant at) const {
  const double either = std::max(terms_.eviction_rate, terms_.secondary_eviction_rate);
  if (!zone.partial_since) {
    const bool was_partial = zone.partial_until && from <= *zone.partial_until + under_way;
    return was_partial ? either : terms_.eviction_rate;
  }
  if (at - *zone.partial_since <= under_way) return either;
  if (from < *zone.partial_since + under_way) return either;
  return zone.ready + zone.others > terms_.large_zone ? terms_.secondary_eviction_rate : 0;
}

}  // namespace nlc::sim::rules

#include "sim/rules/zone_rules.h"

#include <algorithm>

#include "runtime/go_duration.h"
#include "sim/rules/node_facts.h"

namespace nlc::sim::rules {
namespace {

/// Some of its nodes are Ready, and too many are not (spec/zones.md "Zone state").
bool is_partial(const ZoneCount& zone, const RuleInputs& inputs) {
  if (zone.ready == 0 || zone.others <= 2) return false;
  const double share = static_cast<double>(zone.others) / static_cast<double>(zone.all());
  return share >= inputs.unhealthy_zone_threshold;
}

/// Since when it is known at that time that something holds, where nobody is told of it meanwhile.
std::optional<Instant> known_after(const RuleInputs::Span& untold, std::optional<Instant> since,
                                   Instant at) {
  if (!since || untold.from > at || untold.until <= *since) return since;
  return untold.until < at ? std::optional(untold.until) : std::nullopt;
}

}  // namespace

double rate_of(const ZoneCount& zone, const RuleInputs& inputs) {
  if (!is_partial(zone, inputs)) return inputs.eviction_rate;
  return zone.all() > inputs.large_zone ? inputs.secondary_eviction_rate : 0;
}

void ZoneRules::count(Instant at) {
  count_nodes();
  follow_full_disruption(at);
  for (auto& [name, zone] : zones_) follow_disruption(zone, at);
}

void ZoneRules::count_nodes() {
  for (auto& [name, zone] : zones_) zone.count = {};
  any_ready_ = any_counts_ = false;
  for (const auto& [name, seen] : nodes_) {
    if (seen.gone_since) continue;
    Zone& zone = zones_[zone_of(seen.node)];
    const bool ready = is_ready(seen.node);
    any_ready_ = any_ready_ || ready;
    if (!counts(seen.node)) continue;
    zone.count.add(ready);
    any_counts_ = true;
  }
}

/// Where none counts what was before goes on.
void ZoneRules::follow_full_disruption(Instant at) {
  if (none_ready_since_ && any_ready_ && at - *none_ready_since_ > under_way) {
    none_ready_ = RuleInputs::Outage{.from = *none_ready_since_, .until = at};
  }
  keep_since(none_ready_since_, !any_ready_ && (any_counts_ || none_ready_since_), at);
}

void ZoneRules::follow_disruption(Zone& zone, Instant at) const {
  const bool partial = is_partial(zone.count, inputs_);
  if (zone.partial_since && !partial) zone.partial_until = at;
  keep_since(zone.partial_since, partial, at);
  const bool full = zone.count.ready == 0 && zone.count.others > 0;
  keep_since(zone.disrupted_since, full || partial, at);
}

void ZoneRules::take_over(Instant at) {
  takeovers_.push_back(at);
  // Who begins where none counts does not know what was before.
  if (!any_counts_) none_ready_since_.reset();
}

void ZoneRules::judge_pace(const std::string& zone, Instant at, double slowest) {
  const std::size_t silent = silent_in(zone, at);
  Zone& seen = zones_[zone];
  seen.grants.push_back({.at = at, .believed_rate = believed_rate(zone, silent, at, at)});
  for (auto first = seen.grants.end(); first != seen.grants.begin();) {
    const Instant from = (--first)->at;
    const double rate_of_now =
        std::max({rate(seen, from, at), believed_rate(zone, silent, from, at), slowest});
    const auto begun = std::ranges::count_if(
        takeovers_, [&](Instant takeover) { return takeover >= from && takeover <= at; });
    const auto granted = seen.grants.end() - first;
    const double allowed = earned({first, seen.grants.end()}, rate_of_now, at);
    if (static_cast<double>(granted - 1 - begun) <= allowed + 0.001) continue;
    return breach_.note("pace", std::to_string(granted) + " nodes of zone " + zone +
                                    " were evicted within " + go_duration(at - from));
  }
}

/// Since the first of these grants: by the rate of then up to one of them, and by that of now
/// after it.
double ZoneRules::earned(std::span<const Grant> grants, double rate_of_now, Instant at) const {
  using Seconds = std::chrono::duration<double>;
  const Duration waits =
      inputs_.pod_timeout ? inputs_.requests_wait + inputs_.pods_wait : Duration{0};
  const Duration late = inputs_.monitor_period + arrival + waits;
  double most = 0;
  for (const Grant& grant : grants) {
    const double before = grant.believed_rate * Seconds(grant.at - grants.front().at).count();
    most = std::max(most, before + rate_of_now * Seconds(at - grant.at + late).count());
  }
  return most;
}

/// Nodes that say they are Ready, and whom nobody has heard for so long that they need not be.
std::size_t ZoneRules::silent_in(const std::string& zone, Instant at) const {
  return static_cast<std::size_t>(std::ranges::count_if(nodes_, [&](const auto& named) {
    const auto& [name, seen] = named;
    return !seen.gone_since && counts(seen.node) && is_ready(seen.node) &&
           zone_of(seen.node) == zone && silence_.may_be_marked(name, at);
  }));
}

void ZoneRules::judge_disruption(const std::string& what, Instant at) {
  const std::optional<Instant> since = none_believed_ready_since(at);
  if (!since || at - *since <= under_way) return;
  // What was before none counted need not have been seen.
  if (!any_counts_ && covers(inputs_.nodes_in_doubt, *since)) return;
  breach_.note("disruption",
               what + " while no node has been Ready for " + go_duration(at - *since));
}

std::optional<RuleInputs::Outage> ZoneRules::just_ended(Instant at) const {
  const bool lately =
      none_ready_ && at > none_ready_->until && at <= none_ready_->until + kubelets_look;
  return lately ? none_ready_ : std::nullopt;
}

/// One that is gone and was told of again as Ready counts for whoever only watches, and so does one
/// that ceased to be Ready behind a watch that stands still.
std::optional<Instant> ZoneRules::none_believed_ready_since(Instant at) const {
  std::optional<Instant> since = none_ready_since_;
  for (const RuleInputs::ToldAgain& told : inputs_.told_again) {
    const NodeSeen* node = gone(told.node);
    if (node == nullptr || !is_ready(node->node)) continue;
    since = known_after({.from = told.from, .until = told.until}, since, at);
  }
  for (const RuleInputs::Span& held : inputs_.node_watch_held) since = known_after(held, since, at);
  return since;
}

const NodeSeen* ZoneRules::gone(const std::string& node) const {
  const auto found = nodes_.find(node);
  return found != nodes_.end() && found->second.gone_since ? &found->second : nullptr;
}

const ZoneRules::Zone& ZoneRules::known(const std::string& zone) const {
  static const Zone nothing;
  const auto found = zones_.find(zone);
  return found == zones_.end() ? nothing : found->second;
}

std::optional<Instant> ZoneRules::last_granted(const std::string& zone) const {
  const std::vector<Grant>& grants = known(zone).grants;
  return grants.empty() ? std::nullopt : std::optional(grants.back().at);
}

std::optional<Instant> ZoneRules::last_left(const std::string& zone) const {
  return known(zone).last_left;
}

std::optional<Instant> ZoneRules::disrupted_since(const std::string& zone) const {
  return known(zone).disrupted_since;
}

/// The most that a zone may be granted at any moment of that time: its normal rate, unless it has
/// been partly disrupted for so long that everybody knows, or was so until a moment ago.
double ZoneRules::rate(const Zone& zone, Instant from, Instant at) const {
  const double either = std::max(inputs_.eviction_rate, inputs_.secondary_eviction_rate);
  if (!zone.partial_since) {
    const bool was_partial = zone.partial_until && from <= *zone.partial_until + under_way;
    return was_partial ? either : inputs_.eviction_rate;
  }
  const Instant known_since = *zone.partial_since + under_way;
  if (at <= known_since || from < known_since) return either;
  return rate_of(zone.count, inputs_);
}

/// With those that are gone and were told of again, which whoever only watches counts, and with
/// those that are silent as not Ready; 0 where there are none. A zone in trouble may be evicted
/// faster than a healthy one.
double ZoneRules::believed_rate(const std::string& zone, std::size_t silent, Instant from,
                                Instant at) const {
  ZoneCount believed = zones_.at(zone).count;
  double fastest = 0;
  for (const RuleInputs::ToldAgain& told : inputs_.told_again) {
    const bool is_there = told.from <= at && from - under_way <= told.until;
    const NodeSeen* node = is_there ? gone(told.node) : nullptr;
    if (node == nullptr || !counts(node->node) || !node->zones.contains(zone)) continue;
    believed.add(is_ready(node->node));
    fastest = rate_of(believed, inputs_);
  }
  // They fall silent one after the other, and where requests wait for their turn it is known late.
  const bool is_known_late = inputs_.requests_wait > Duration{0};
  for (std::size_t noticed = is_known_late ? 1 : std::max<std::size_t>(1, silent);
       noticed <= silent; ++noticed) {
    const ZoneCount then{.ready = believed.ready - noticed, .others = believed.others + noticed};
    fastest = std::max(fastest, rate_of(then, inputs_));
  }
  return fastest;
}

}  // namespace nlc::sim::rules

#include "sim/rules/rules.h"

#include <absl/strings/str_join.h>
#include <algorithm>

#include "runtime/go_duration.h"
#include "sim/rules/node_facts.h"

namespace nlc::sim::rules {
namespace {

const Resource& config_maps() { return core_resource("configmaps"); }

const Resource& leases() { return *find_resource("coordination.k8s.io", "v1", "leases"); }

constexpr std::string_view lease_namespace = "kube-node-lease/";

/// As it is written, which says whether it is another.
std::string_view renew_time(const StoredObject& lease) {
  constexpr std::string_view name = "\"renewTime\":";
  const std::size_t at = lease.bytes.rfind(name);
  if (at == lease.bytes.npos) return {};
  return std::string_view(lease.bytes).substr(at, lease.bytes.find_first_of(",}", at) - at);
}

std::optional<WallTime> ready_heartbeat(const api::Node& node) {
  const api::NodeCondition* ready = node.condition("Ready");
  return ready != nullptr ? ready->last_heartbeat : std::nullopt;
}

std::vector<api::Taint> taints_of_others(const api::Node& node) {
  std::vector<api::Taint> taints;
  std::ranges::copy_if(node.taints, std::back_inserter(taints),
                       [](const api::Taint& taint) { return !is_of_controller(taint); });
  return taints;
}

/// What a taint says itself is all that is left of the time before a backup came back.
std::optional<WallTime> no_execute_since(const api::Node& node) {
  std::optional<WallTime> since;
  for (const api::Taint& taint : node.taints) {
    if (taint.effect != "NoExecute" || !taint.time_added) continue;
    since = std::min(since.value_or(*taint.time_added), *taint.time_added);
  }
  return since;
}

/// Keeps since when something holds.
void follow(std::optional<Instant>& since, bool holds, Instant at) {
  since = holds ? std::optional(since.value_or(at)) : std::nullopt;
}

bool has_unreachable(const api::Node* node, std::string_view effect) {
  return node != nullptr && node->taint("node.kubernetes.io/unreachable", effect) != nullptr;
}

}  // namespace

const std::vector<std::string>& Rules::names() {
  static const std::vector<std::string> all{
      "silent", "ready",      "tolerations", "others",   "pace",         "disruption",
      "paused", "pods' pace", "one leader",  "timeouts", "only watching"};
  return all;
}

Rules::Rules(const Storage& storage, const Clock& clock, Terms terms)
    : storage_(storage), clock_(clock), terms_(std::move(terms)) {
  begin_anew();
}

/// What the server has forgotten was heard all the same.
void Rules::begin_anew() {
  version_ = storage_.version();
  const Instant now = clock_.now();
  if (!nodes_.empty()) restored_ = now;
  for (auto& [name, known] : heartbeats_) known.perhaps_lost = true;
  for (auto& [name, seen] : nodes_) seen.gone_since = seen.gone_since.value_or(now);
  word_.none();
  storage_.visit(config_maps(), {"", "", 0}, [&](const ObjectRef& object) {
    const auto config = decoded<api::ConfigMap>(object);
    if (config && object->key == OperatorWord::key) word_.read(*config);
    return true;
  });
  follow_word(now);
  storage_.visit(core_resource("nodes"), {"", "", 0}, [&](const ObjectRef& object) {
    auto node = decoded<api::Node>(object);
    if (!node) return true;
    const std::optional<WallTime> tainted = no_execute_since(*node);
    const std::string name = node->name;
    // One whose lease was deleted stays without any: nothing is left by which anybody could know.
    const auto known = nodes_.find(name);
    const bool is_new = known == nodes_.end() || known->second.gone_since < now;
    if (is_new) heartbeats_.try_emplace(name, Heartbeats{.last = now, .gap_ended = {}});
    const auto heard = heartbeats_.find(name);
    const bool has_lease = storage_.find(leases(), std::string(lease_namespace) + name) != nullptr;
    if (heard != heartbeats_.end()) heard->second.by_lease = heard->second.by_lease || has_lease;
    // A taint that stands before and after is remembered, whatever date it has.
    const bool same = !is_new && known->second.node.uid == node->uid;
    const std::optional<Instant> remembered =
        same && tainted ? known->second.no_execute_since : std::nullopt;
    store(std::move(*node), now);
    std::optional<Instant>& since = nodes_.at(name).no_execute_since;
    if (tainted && *tainted < clock_.wall_now()) since = now - (clock_.wall_now() - *tainted);
    if (remembered) since = std::min(*remembered, since.value_or(now));
    return true;
  });
  count_zones(now);
}

std::optional<Instant> Rules::heard(const std::string& node) const {
  const auto found = heartbeats_.find(node);
  return found == heartbeats_.end() ? std::nullopt : std::optional<Instant>(found->second.last);
}

std::optional<Instant> Rules::last_granted(const std::string& zone) const {
  const auto found = zones_.find(zone);
  if (found == zones_.end() || found->second.grants.empty()) return std::nullopt;
  return found->second.grants.back();
}

std::optional<Instant> Rules::last_left(const std::string& zone) const {
  const auto found = zones_.find(zone);
  return found == zones_.end() ? std::nullopt : found->second.last_left;
}

void Rules::break_rule(std::string rule, std::string what) {
  if (!broken_) broken_ = Broken{.rule = std::move(rule), .what = std::move(what)};
}

void Rules::catch_up(Author author) {
  if (broken_ || storage_.version() == version_) return;
  read_leases(author);
  read_policy();
  read_nodes(author);
  read_pods(author);
  version_ = storage_.version();
}

void Rules::leaders(const std::vector<std::string>& lives) {
  for (const std::string& life : lives) {
    if (led_.insert(life).second) takeovers_.push_back(clock_.now());
  }
  if (lives.size() > 1) break_rule("one leader", absl::StrJoin(lives, ", ") + " may all write");
}

void Rules::observer_wrote(const std::string& replica) {
  break_rule("only watching", replica + " only observes, and has written");
}

// --- heartbeats ---------------------------------------------------------------------------------

void Rules::read_leases(Author author) {
  if (author == Author::Controller) return;
  storage_.visit_history(leases(), version_, [this](const HistoryEvent& event) {
    if (!event.object->key.starts_with(lease_namespace)) return;
    if (event.change == Change::Deleted) {
      // Nothing is left by which anybody could know; its kubelet makes a new one.
      heartbeats_.erase(event.object->key.substr(lease_namespace.size()));
      return;
    }
    const bool same = event.previous && renew_time(*event.previous) == renew_time(*event.object);
    if (same || !decoded<api::NodeLease>(event.object)) return;
    heartbeat(event.object->key.substr(lease_namespace.size()), event.at).by_lease = true;
  });
}

Rules::Heartbeats& Rules::heartbeat(const std::string& node, Instant at) {
  const auto [found, first] = heartbeats_.try_emplace(node);
  Heartbeats& known = found->second;
  if (!first) {
    const Duration gap = open_time(known, at);
    if (known.mark && gap < terms_.grace) break_rule("silent", *known.mark);
    const bool old = !known.gap_ended || at - *known.gap_ended > under_way;
    if (old || gap > known.gap) {
      known.gap = gap;
      known.gap_ended = at;
    }
  }
  known.last = at;
  known.perhaps_lost = false;
  known.mark.reset();
  return known;
}

/// Since its last heartbeat.
Duration Rules::open_time(const Heartbeats& known, Instant until) const {
  Duration open = until - known.last;
  Instant counted = known.last;
  for (const Terms::Closed& closed : terms_.closed) {
    if (closed.until - closed.from <= terms_.blind_after + seen_late) continue;
    const Instant low = std::max(closed.from + terms_.blind_after, counted);
    const Instant high = std::min(closed.until, until);
    if (low >= high || (closed.for_leases_alone && !known.by_lease)) continue;
    open -= high - low;
    counted = high;
  }
  return open;
}

// --- what the operator asks for -----------------------------------------------------------------

void Rules::read_policy() {
  storage_.visit_history(config_maps(), version_, [this](const HistoryEvent& event) {
    if (event.object->key != OperatorWord::key) return;
    const auto config = decoded<api::ConfigMap>(event.object);
    if (event.change == Change::Deleted) {
      word_.none();
    } else if (config) {
      word_.read(*config);
    }
    follow_word(event.at);
  });
}

void Rules::follow_word(Instant at) {
  follow(all_paused_since_, word_.pauses_everything(), at);
  for (auto& [name, seen] : nodes_) follow_pause(seen, at);
  // Whatever pace was before is no measure for this one.
  limited_since_.reset();
  if (word_.pods_per_second() > 0) limited_since_ = at;
}

void Rules::follow_pause(NodeSeen& seen, Instant at) {
  follow(seen.paused_since, word_.pauses(seen.node), at);
  if (seen.paused_since) ever_paused_.insert(seen.node.name);
}

// --- nodes --------------------------------------------------------------------------------------

void Rules::read_nodes(Author author) {
  storage_.visit_history(core_resource("nodes"), version_, [&](const HistoryEvent& event) {
    if (event.change == Change::Deleted) {
      if (const auto gone = nodes_.find(event.object->key); gone != nodes_.end()) {
        gone->second.gone_since = event.at;
      }
      count_zones(event.at);
      return;
    }
    std::optional<api::Node> after = decoded<api::Node>(event.object);
    if (!after) return;
    const auto found = nodes_.find(after->name);
    const bool known = found != nodes_.end() && !found->second.gone_since;
    const NodeSeen* before = known ? &found->second : nullptr;
    if (author == Author::Controller) {
      last_write_ = event.at;
      judge(before, *after, event.at);
    } else if (before == nullptr || before->node.uid != after->uid ||
               ready_heartbeat(before->node) != ready_heartbeat(*after)) {
      heartbeat(after->name, event.at);
    }
    store(std::move(*after), event.at);
    count_zones(event.at);
  });
}

/// Who comes later, or has forgotten all, has nothing but its `timeAdded`, which is older than the
/// taint by as much as the write was slow.
Instant Rules::tainted_since(const api::Node& node, Instant at) const {
  const std::optional<WallTime> added = no_execute_since(node);
  if (!added) return at;
  return at - std::clamp<Duration>(clock_.wall_now() - *added, Duration{0}, arrival);
}

void Rules::store(api::Node node, Instant at) {
  NodeSeen& seen = nodes_[node.name];
  if (has_no_execute_of_others(seen.node)) {
    seen.others_no_execute_until = seen.gone_since.value_or(at);
  }
  if (seen.gone_since) {
    const auto tainted_until = seen.no_execute_since ? seen.gone_since : seen.no_execute_until;
    const auto others_until = seen.others_no_execute_until;
    seen = NodeSeen{};
    seen.no_execute_until = tainted_until;
    seen.others_no_execute_until = others_until;
  }
  if (seen.no_execute_since && !has_no_execute(node)) seen.no_execute_until = at;
  follow(seen.no_execute_since, has_no_execute(node), tainted_since(node, at));
  follow(seen.ready_since, is_ready(node), at);
  if (seen.ready_since && seen.early) {
    if (at <= seen.early->until) break_rule("ready", seen.early->what);
    seen.early.reset();
  }
  follow(seen.not_ready_since, !is_ready(node), at);
  if (seen.ready_since) seen.evicted = false;
  seen.node = std::move(node);
  follow_pause(seen, at);
}

void Rules::judge(const NodeSeen* before, const api::Node& after, Instant at) {
  if (!terms_.judges_nodes) {
    return break_rule("only watching", "the controller changed node " + after.name);
  }
  const api::Node* then = before != nullptr ? &before->node : nullptr;
  if (then == nullptr || then->uid != after.uid) {
    return break_rule("others", "the controller made node " + after.name);
  }
  if (is_unknown(after) && !is_unknown(*then)) judge_mark(after, "Ready Unknown", at);
  for (const char* effect : {"NoSchedule", "NoExecute"}) {
    const bool follows = is_unknown(*then) && effect == std::string_view("NoSchedule");
    if (has_unreachable(&after, effect) && !has_unreachable(then, effect) && !follows) {
      judge_mark(after, "node.kubernetes.io/unreachable:" + std::string(effect), at);
    }
  }
  if (has_health_no_execute(after) && !has_health_no_execute(*then)) judge_grant(after, at);
  if (taints_of_others(after) != taints_of_others(*then)) {
    break_rule("others", "taints of others on node " + after.name + " were changed");
  }
  if (after.unschedulable != then->unschedulable) {
    break_rule("others", "unschedulable of node " + after.name + " was changed");
  }
  if (is_ready(after) && !is_ready(*then)) {
    break_rule("others", "the controller made node " + after.name + " Ready");
  }
}

void Rules::judge_mark(const api::Node& node, const std::string& what, Instant at) {
  const auto found = heartbeats_.find(node.name);
  if (found == heartbeats_.end()) return;
  Heartbeats& heard = found->second;
  const Duration age = open_time(heard, at);
  if (age + exact_enough >= terms_.grace) return;
  const bool was_silent = heard.gap_ended && heard.gap + exact_enough >= terms_.grace;
  if (was_silent && at - *heard.gap_ended <= under_way) return;
  std::string mark = "node " + node.name + " was given " + what + " " + go_duration(age) +
                     " after its last heartbeat, with a grace period of " +
                     go_duration(terms_.grace);
  if (heard.perhaps_lost) {
    heard.mark = std::move(mark);
  } else {
    break_rule("silent", std::move(mark));
  }
}

void Rules::judge_grant(const api::Node& node, Instant at) {
  if (terms_.pod_timeout) {
    return break_rule("timeouts", "node " + node.name + " was given a NoExecute taint");
  }
  judge_pause(nodes_.at(node.name), "node " + node.name + " was given a NoExecute taint", true, at);
  if (none_ready_since_ && at - *none_ready_since_ > under_way) {
    break_rule("disruption", "node " + node.name +
                                 " was given a NoExecute taint while no node has been Ready for " +
                                 go_duration(at - *none_ready_since_));
  }
  judge_pace(zone_of(node), at);
}

void Rules::judge_pace(const std::string& zone, Instant at) {
  ZoneSeen& seen = zones_[zone];
  seen.grants.push_back(at);
  for (std::size_t i = seen.grants.size(); i-- > 0;) {
    const Instant from = seen.grants[i];
    const auto begun = std::ranges::count_if(
        takeovers_, [&](Instant takeover) { return takeover >= from && takeover <= at; });
    const double span =
        std::chrono::duration<double>(at - from + terms_.monitor_period + arrival).count();
    const double most = 1 + static_cast<double>(begun) + rate(seen, from, at) * span;
    const auto count = static_cast<double>(seen.grants.size() - i);
    if (count <= most + 0.001) continue;
    return break_rule("pace", std::to_string(seen.grants.size() - i) + " nodes of zone " + zone +
                                  " were evicted within " + go_duration(at - from));
  }
}

/// The most that a zone may be granted at any moment of that time: its normal rate, unless it has
/// been partly disrupted for so long that everybody knows, or was so until a moment ago.
double Rules::rate(const ZoneSeen& seen, Instant from, Instant at) const {
  const double either = std::max(terms_.eviction_rate, terms_.secondary_eviction_rate);
  if (!seen.partial_since) {
    const bool was_partial = seen.partial_until && from <= *seen.partial_until + under_way;
    return was_partial ? either : terms_.eviction_rate;
  }
  if (at - *seen.partial_since <= under_way) return either;
  if (from < *seen.partial_since + under_way) return either;
  return seen.ready + seen.others > terms_.large_zone ? terms_.secondary_eviction_rate : 0;
}

void Rules::count_zones(Instant at) {
  for (auto& [name, zone] : zones_) zone.ready = zone.others = 0;
  bool any_ready = false;
  for (const auto& [name, seen] : nodes_) {
    if (seen.gone_since) continue;
    ZoneSeen& zone = zones_[zone_of(seen.node)];
    ++(is_ready(seen.node) ? zone.ready : zone.others);
    any_ready = any_ready || is_ready(seen.node);
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

}  // namespace nlc::sim::rules

#include "sim/rules/rules.h"

#include <absl/strings/str_join.h>
#include <algorithm>
#include <iterator>

#include "sim/rules/node_facts.h"

namespace nlc::sim::rules {
namespace {

const Resource& config_maps() { return core_resource("configmaps"); }

constexpr std::string_view lease_namespace = "kube-node-lease/";

/// As it is written, which says whether it is another.
std::string_view renew_time(const StoredObject& lease) {
  constexpr std::string_view name = "\"renewTime\":";
  const std::size_t at = lease.bytes.rfind(name);
  if (at == lease.bytes.npos) return {};
  const std::string_view text = std::string_view(lease.bytes).substr(at + name.size());
  return text.substr(0, text.find_first_of(",}"));
}

/// Nothing else of a lease can be such that it cannot be read.
bool is_readable(std::string_view renewed) {
  if (renewed.empty() || renewed == "null") return true;
  return renewed.size() > 2 && parse_rfc3339(renewed.substr(1, renewed.size() - 2)).has_value();
}

std::optional<WallTime> ready_heartbeat(const api::Node& node) {
  const api::NodeCondition* ready = node.condition("Ready");
  return ready != nullptr ? ready->last_heartbeat : std::nullopt;
}

bool is_heartbeat(const api::Node& before, const api::Node& after) {
  return before.uid != after.uid || ready_heartbeat(before) != ready_heartbeat(after);
}

/// Of the name of one that is gone: for its last taints pods may still be deleted.
NodeSeen successor_of(const NodeSeen& gone) {
  NodeSeen successor;
  successor.no_execute_until = gone.no_execute_since ? gone.gone_since : gone.no_execute_until;
  successor.with_others = gone.with_others;
  successor.zones = gone.zones;
  return successor;
}

std::vector<api::Taint> taints_of_others(const api::Node& node) {
  std::vector<api::Taint> taints;
  std::ranges::copy_if(node.taints, std::back_inserter(taints),
                       [](const api::Taint& taint) { return !is_of_controller(taint); });
  return taints;
}

/// What a taint says itself is all that is left of the time before a backup came back.
std::optional<WallTime> no_execute_added(const api::Node& node) {
  std::optional<WallTime> since;
  for (const api::Taint& taint : node.taints) {
    if (taint.effect != "NoExecute" || !taint.time_added) continue;
    since = std::min(since.value_or(*taint.time_added), *taint.time_added);
  }
  return since;
}

}  // namespace

const std::vector<std::string>& Rules::names() {
  static const std::vector<std::string> all{
      "silent",        "ready",    "tolerations", "others",     "pace",
      "disruption",    "paused",   "pods' pace",  "one leader", "timeouts",
      "only watching", "requests", "lock",        "uid",        "in time"};
  return all;
}

Rules::Rules(const Storage& storage, const Clock& clock, RuleInputs inputs)
    : storage_(storage), clock_(clock), inputs_(std::move(inputs)) {
  begin_anew();
}

void Rules::begin_anew() {
  version_ = storage_.version();
  const Instant now = clock_.now();
  silence_.begin_anew(now);
  if (const auto& lock = inputs_.lock) {
    lock_.begin_anew(now, storage_.find(*lock->resource, lock->key));
  }
  if (inputs_.restores.watched_across) returned_.begin_anew(now);
  for (auto& [name, seen] : nodes_) seen.gone_since = seen.gone_since.value_or(now);
  const auto policy = decoded<api::ConfigMap>(storage_.find(config_maps(), OperatorPolicy::key));
  follow_policy(policy ? &*policy : nullptr, now);
  visit_all<api::Node>(storage_, "nodes",
                       [&](api::Node node) { begin_with(std::move(node), now); });
  zones_.count(now);
}

/// One of the state that took the place of another; those of that one are gone since `now`.
void Rules::begin_with(api::Node node, Instant now) {
  const std::string name = node.name;
  const auto known = nodes_.find(name);
  const bool is_new = known == nodes_.end() || known->second.gone_since < now;
  begin_silence(name, is_new, now);
  // What holds before and after is remembered, and a taint whatever its date, or without one.
  const bool same = !is_new && known->second.node.uid == node.uid;
  const NodeSeen before = same ? known->second : NodeSeen{};
  const std::optional<WallTime> tainted = no_execute_added(node);
  store(std::move(node), now);
  NodeSeen& seen = nodes_.at(name);
  if (seen.not_ready_since && before.not_ready_since) seen.not_ready_since = before.not_ready_since;
  std::optional<Instant>& since = seen.no_execute_since;
  if (tainted && *tainted < clock_.wall_now()) since = now - (clock_.wall_now() - *tainted);
  if (before.no_execute_since && has_no_execute(seen.node)) {
    since = std::min(*before.no_execute_since, since.value_or(now));
  }
}

/// One whose lease was deleted stays without any: nothing is left by which anybody could know.
void Rules::begin_silence(const std::string& node, bool is_new, Instant now) {
  const ObjectRef lease = storage_.find(leases(), std::string(lease_namespace) + node);
  const ObjectRef stored = storage_.find(core_resource("nodes"), node);
  const std::uint64_t version = std::max(stored->version, lease ? lease->version : 0);
  silence_.begin_with(node, {.is_new = is_new, .has_lease = lease != nullptr, .version = version},
                      now);
}

void Rules::catch_up(Author author) {
  if (broken() || storage_.version() == version_) return;
  read_lock(author);
  read_leases(author);
  read_policy();
  read_nodes(author);
  read_pods(author);
  version_ = storage_.version();
}

void Rules::leaders(const std::vector<Leader>& leaders) {
  const Instant now = clock_.now();
  std::vector<std::string> lives;
  for (const Leader& leader : leaders) {
    if (led_.insert(leader.life).second) zones_.take_over(now);
    silence_.watched_since(leader.watched_since);
    lives.push_back(leader.life);
  }
  const auto know_of_each_other = [&](const Leader& one, const Leader& other) {
    return !lock_.may_not_know(one.identity, other.identity, now);
  };
  if (std::ranges::adjacent_find(leaders, know_of_each_other) != leaders.end()) {
    breach_.note("one leader", absl::StrJoin(lives, ", ") + " may all write");
  }
}

void Rules::asked(const Asked& request) {
  most_nodes_and_pods_ = std::max(most_nodes_and_pods_, storage_.count(core_resource("nodes")) +
                                                            storage_.count(core_resource("pods")));
  requests_.judge(request, most_nodes_and_pods_);
  lock_.judge(request);
}

void Rules::judge_deadlines() {
  if (!broken() && !something_came_back_unseen()) deadlines_.judge(clock_.now());
}

void Rules::observer_wrote(const std::string& replica) {
  breach_.note("only watching", replica + " only observes, and has written");
}

void Rules::read_lock(Author author) {
  if (!inputs_.lock) return;
  storage_.visit_history(*inputs_.lock->resource, version_, [&](const HistoryEvent& event) {
    if (event.object->key != inputs_.lock->key) return;
    lock_.changed(event, author == Author::Controller);
  });
}

// --- heartbeats ---------------------------------------------------------------------------------

/// The garbage collector deletes leases at any time.
void Rules::read_leases(Author author) {
  storage_.visit_history(leases(), version_, [&](const HistoryEvent& event) {
    if (!event.object->key.starts_with(lease_namespace)) return;
    const std::string node = event.object->key.substr(lease_namespace.size());
    if (event.change == Change::Deleted) return silence_.lease_deleted(node, event.at);
    const std::string_view renewed = renew_time(*event.object);
    const bool same = event.previous && renew_time(*event.previous) == renewed;
    if (author == Author::Controller || same || !is_readable(renewed)) return;
    silence_.heard(node, Silence::Source::Lease, {event.at, event.object->version});
  });
}

// --- what the operator asks for -----------------------------------------------------------------

void Rules::read_policy() {
  storage_.visit_history(config_maps(), version_, [this](const HistoryEvent& event) {
    if (event.object->key != OperatorPolicy::key) return;
    const auto policy = decoded<api::ConfigMap>(event.object);
    if (event.change != Change::Deleted && !policy) return;
    follow_policy(event.change == Change::Deleted ? nullptr : &*policy, event.at);
  });
}

void Rules::follow_policy(const api::ConfigMap* policy, Instant at) {
  operator_.read(policy, at);
  for (auto& [name, seen] : nodes_) operator_.follow(seen, at);
}

// --- nodes --------------------------------------------------------------------------------------

void Rules::read_nodes(Author author) {
  storage_.visit_history(core_resource("nodes"), version_, [&](const HistoryEvent& event) {
    if (event.change != Change::Deleted) {
      read_node(event, author);
    } else if (const auto gone = nodes_.find(event.object->key); gone != nodes_.end()) {
      gone->second.gone_since = event.at;
    }
    zones_.count(event.at);
  });
}

void Rules::read_node(const HistoryEvent& event, Author author) {
  std::optional<api::Node> after = decoded<api::Node>(event.object);
  if (!after) return;
  const auto found = nodes_.find(after->name);
  const bool known = found != nodes_.end() && !found->second.gone_since;
  const NodeSeen* before = known ? &found->second : nullptr;
  if (author == Author::Controller) {
    last_write_ = event.at;
    judge(before, *after, event.at);
  } else if (before == nullptr || is_heartbeat(before->node, *after)) {
    silence_.heard(after->name, Silence::Source::Status, {event.at, event.object->version});
  }
  store(std::move(*after), event.at);
}

/// Who comes later, or has forgotten all, has nothing but its `timeAdded`, which is older than the
/// taint by as much as the write was slow.
Instant Rules::tainted_since(const api::Node& node, Instant at) const {
  const std::optional<WallTime> added = no_execute_added(node);
  if (!added) return at;
  return at - std::clamp<Duration>(clock_.wall_now() - *added, Duration{0}, arrival);
}

void Rules::store(api::Node node, Instant at) {
  NodeSeen& seen = nodes_[node.name];
  if (has_no_execute_of_others(seen.node)) {
    seen.with_others = {.until = seen.gone_since.value_or(at), .taints = seen.node.taints};
  }
  if (seen.gone_since) seen = successor_of(seen);
  const bool tainted = has_no_execute(node);
  if (seen.no_execute_since && !tainted) {
    seen.no_execute_before = seen.no_execute_since;
    seen.no_execute_until = at;
  }
  keep_since(seen.no_execute_since, tainted, tainted_since(node, at));
  follow_ready(seen, is_ready(node), at);
  seen.zones.insert(zone_of(node));
  seen.node = std::move(node);
  operator_.follow(seen, at);
}

void Rules::follow_ready(NodeSeen& seen, bool ready, Instant at) {
  keep_since(seen.ready_since, ready, at);
  keep_since(seen.not_ready_since, !ready, at);
  if (!ready) return;
  if (seen.early && at <= seen.early->until) breach_.note("ready", seen.early->what);
  seen.early.reset();
  seen.evicted = seen.left = false;
}

void Rules::judge(const NodeSeen* before, const api::Node& after, Instant at) {
  if (!inputs_.judges_nodes) {
    return breach_.note("only watching", "the controller changed node " + after.name);
  }
  if (before == nullptr || before->node.uid != after.uid) {
    return breach_.note("others", "the controller made node " + after.name);
  }
  judge_marks(before->node, after, at);
  if (has_health_no_execute(after) && !has_health_no_execute(before->node)) judge_grant(after, at);
  if (!covers(inputs_.nodes_mutated, at)) judge_what_others_wrote(before->node, after);
}

void Rules::judge_marks(const api::Node& before, const api::Node& after, Instant at) {
  if (is_unknown(after) && !is_unknown(before)) {
    silence_.judge_mark(after.name, "Ready Unknown", at);
  }
  for (const std::string_view effect : {"NoSchedule", "NoExecute"}) {
    const bool follows = is_unknown(before) && effect == "NoSchedule";
    if (has_unreachable(after, effect) && !has_unreachable(before, effect) && !follows) {
      silence_.judge_mark(after.name, "node.kubernetes.io/unreachable:" + std::string(effect), at);
    }
  }
}

void Rules::judge_what_others_wrote(const api::Node& before, const api::Node& after) {
  if (taints_of_others(after) != taints_of_others(before)) {
    breach_.note("others", "taints of others on node " + after.name + " were changed");
  }
  if (after.unschedulable != before.unschedulable) {
    breach_.note("others", "unschedulable of node " + after.name + " was changed");
  }
  if (is_ready(after) && !is_ready(before)) {
    breach_.note("others", "the controller made node " + after.name + " Ready");
  }
}

void Rules::judge_grant(const api::Node& node, Instant at) {
  const std::string what = "node " + node.name + " was given a NoExecute taint";
  if (inputs_.pod_timeout) return breach_.note("timeouts", what);
  operator_.judge_pause(nodes_.at(node.name), what, at);
  zones_.judge_disruption(what, at);
  zones_.judge_pace(zone_of(node), at);
}

std::optional<Instant> Rules::no_execute_since(const std::string& node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? std::nullopt : found->second.no_execute_since;
}

// --- pods ---------------------------------------------------------------------------------------

void Rules::read_pods(Author author) {
  if (inputs_.restores.watched_across) returned_.note_deleted_pods(version_);
  if (author != Author::Controller) return;
  storage_.visit_history(core_resource("pods"), version_, [this](const HistoryEvent& event) {
    last_write_ = event.at;
    pods_.judge(event);
  });
}

}  // namespace nlc::sim::rules

#include "sim/rules/silence.h"

#include <algorithm>

#include "runtime/go_duration.h"
#include "sim/rules/node_facts.h"

namespace nlc::sim::rules {
namespace {

/// While a watch stands still leases are listed every five seconds: what was heard just before the
/// server was closed is seen after, and a short time without heartbeats is no gap then. Where it
/// went with a restore nobody sees it.
constexpr Duration seen_late = std::chrono::seconds(5);

/// Of a kubelet that renews every ten seconds, for longer than anything goes wrong.
constexpr std::size_t most_earlier = 40;

/// All connections are cut by a restore: whoever connects again sees it.
constexpr Duration restore_noticed = std::chrono::seconds(3);

}  // namespace

void Silence::heartbeat(const std::string& node, bool by_lease, std::uint64_t version, Instant at) {
  const auto [found, first] = nodes_.try_emplace(node);
  Heartbeats& known = found->second;
  if (!first) {
    const Duration gap = open_time(known, at);
    if (known.mark && gap < inputs_.grace) breach_.note("silent", *known.mark);
    if (gap + exact_enough >= inputs_.grace) known.silent_until = at;
  }
  // Lease and status of one moment are one heartbeat.
  if (!first && known.last != at) {
    known.earlier.push_back({.at = known.last, .version = known.version});
    if (known.earlier.size() > most_earlier) known.earlier.erase(known.earlier.begin());
  }
  known.last = at;
  known.version = version;
  known.by_lease = known.by_lease || by_lease;
  known.perhaps_lost = false;
  known.gone_unseen = false;
  known.mark.reset();
}

/// Behind a watch that stands still nothing is left by which anybody could know when; nor is it
/// where a lease came and went while watches begin anew. What was renewed after leases were last
/// listed, and is gone before they are again, was never heard.
void Silence::lease_deleted(const std::string& node, Instant at) {
  const auto known = nodes_.find(node);
  if (known == nodes_.end()) return;
  const bool unwatched = std::ranges::any_of(inputs_.closed, [&](const RuleInputs::Closed& closed) {
    return closed.until <= known->second.last && at - closed.until <= exact_enough;
  });
  Heartbeats& heard = known->second;
  heard.gone_unseen = unwatched || covers(inputs_.lease_watch_held, at);
  if (covers(inputs_.leases_stand_still, at)) {
    while (!was_listed(heard.last, at) && !heard.earlier.empty()) heard.forget_last();
  }
  heard.by_lease = false;
}

void Silence::begin_anew(Instant now) {
  restored_twice_ = restored_ && now - *restored_ <= restore_noticed;
  if (!nodes_.empty()) restored_ = now;
  went_ = now;
  for (const RuleInputs::Closed& closed : inputs_.closed) {
    const bool ends = closed.until <= now && now - closed.until <= exact_enough;
    if (ends) went_ = std::min(went_, closed.from);
  }
  unseen_ = covers(inputs_.leases_stand_still, now) || covers(inputs_.leases_stand_still, went_);
  for (auto& [name, known] : nodes_) {
    known.perhaps_lost = true;
    if (!restored_twice_) known.before_restore = known.last;
  }
}

void Silence::Heartbeats::forget_last() {
  last = earlier.back().at;
  version = earlier.back().version;
  earlier.pop_back();
}

/// Leases are listed every five seconds where no stream tells of them, by who can list any.
bool Silence::was_listed(Instant heartbeat, Instant until) const {
  Duration listable = until - heartbeat;
  Instant counted = heartbeat;
  for (const RuleInputs::Span& span : inputs_.leases_unlisted) {
    const Instant from = std::max(span.from, counted);
    const Instant end = std::min(span.until, until);
    if (from >= end) continue;
    listable -= end - from;
    counted = end;
  }
  return listable > seen_late;
}

/// A heartbeat that fell between two restores, and that the second took back, came on no stream and
/// is in no list: nobody can know of it. Nor of one of the moment in which the server came back.
void Silence::begin_with(const std::string& node, const Stored& stored, Instant now) {
  if (stored.is_new) nodes_.try_emplace(node, Heartbeats{.last = now});
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  Heartbeats& known = found->second;
  known.by_lease = known.by_lease || stored.has_lease;
  const bool last_taken_back = stored.version < known.version;
  while (stored.version < known.version && !known.earlier.empty()) {
    const bool all_were_gone = went_ < now && known.last >= went_;
    if (!all_were_gone && (!unseen_ || was_listed(known.last, went_))) break;
    known.forget_last();
  }
  if (last_taken_back && restored_twice_) known.last = known.before_restore;
  known.before_restore = known.last;
}

std::optional<Instant> Silence::last_heartbeat(const std::string& node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? std::nullopt : std::optional<Instant>(found->second.last);
}

bool Silence::has_been(const std::string& node, Duration span, Instant at) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end() || found->second.perhaps_lost || found->second.gone_unseen) return true;
  const Heartbeats& known = found->second;
  if (open_time(known, at) + exact_enough >= span) return true;
  return at - known.last <= under_way && silent_by_the_one_before(known, known.last, span);
}

std::optional<RuleInputs::Closed> Silence::just_ended(Instant at) const {
  const auto lately = [at](Instant then, Duration noticed) {
    return at > then + noticed && at <= then + kubelets_look;
  };
  if (restored_ && lately(*restored_, restore_noticed)) {
    return RuleInputs::Closed{.from = *restored_, .until = *restored_};
  }
  for (const RuleInputs::Closed& closed : inputs_.closed) {
    const bool hid_states = closed.refused != RuleInputs::Refused::Leases;
    if (hid_states && !is_short(closed) && lately(closed.until, exact_enough)) return closed;
  }
  return std::nullopt;
}

bool Silence::may_be_marked(const std::string& node, Instant at) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return true;
  const Heartbeats& known = found->second;
  if (known.gone_unseen || open_time(known, at) + exact_enough >= inputs_.grace) return true;
  return known.silent_until && at - *known.silent_until <= under_way;
}

/// The last heartbeat came behind a watch that stands still, and before leases are listed; a lease
/// that is read by itself is the same as before, and has no date. By the one before it is silent.
bool Silence::silent_but_for_an_unseen_one(const Heartbeats& known, Instant at) const {
  const bool unseen = at - known.last <= seen_late + exact_enough &&
                      covers(inputs_.lease_watch_held, known.last) &&
                      covers(inputs_.leases_read_late, at);
  return unseen && silent_by_the_one_before(known, at, inputs_.grace);
}

/// As if the last heartbeat had not come.
bool Silence::silent_by_the_one_before(const Heartbeats& known, Instant at, Duration span) const {
  const Heartbeats before{.last = known.before(), .by_lease = known.by_lease};
  return open_time(before, at) + exact_enough >= span;
}

void Silence::judge_mark(const std::string& node, const std::string& what, Instant at) {
  if (may_be_marked(node, at)) return;
  Heartbeats& known = nodes_.at(node);
  if (silent_but_for_an_unseen_one(known, at)) {
    known.silent_until = at;
    return;
  }
  std::string mark =
      "node " + node + " was given " + what + " " + go_duration(open_time(known, at)) +
      " after its last heartbeat, with a grace period of " + go_duration(inputs_.grace);
  if (known.perhaps_lost) {
    known.mark = std::move(mark);
  } else {
    breach_.note("silent", std::move(mark));
  }
}

/// Since its last heartbeat.
Duration Silence::open_time(const Heartbeats& known, Instant until) const {
  Duration open = until - known.last;
  Instant counted = known.last;
  using Refused = RuleInputs::Refused;
  const Refused of_others = known.by_lease ? Refused::Statuses : Refused::Leases;
  for (const RuleInputs::Closed& closed : inputs_.closed) {
    if (is_short(closed)) continue;
    const Instant low = std::max(seen_from(closed) + noticed_after(closed.from), counted);
    const Instant high = std::min(seen_until(closed), until);
    if (low >= high || closed.refused == of_others) continue;
    open -= high - low;
    counted = high;
  }
  return open;
}

/// Where the server ceases to take heartbeats.
Duration Silence::noticed_after(Instant from) const {
  Duration late = covers(inputs_.lease_watch_held, from) ? seen_late : Duration{0};
  for (const RuleInputs::LateAnswers& answers : inputs_.answers_late) {
    if (covers({answers.during}, from)) late = std::max(late, answers.by);
  }
  return inputs_.blind_after + late;
}

bool Silence::is_short(const RuleInputs::Closed& closed) const {
  return closed.until - closed.from <= inputs_.blind_after + seen_late;
}

/// What waited in a short pause is taken when that ends, also where another time begins in it.
Instant Silence::seen_from(const RuleInputs::Closed& closed) const {
  Instant from = closed.from;
  for (const RuleInputs::Closed& pause : inputs_.closed) {
    if (is_short(pause) && pause.from < closed.from) from = std::max(from, pause.until);
  }
  return from;
}

/// Who began to watch in the last seconds of such a time saw no more than a pause.
Instant Silence::seen_until(const RuleInputs::Closed& closed) const {
  const bool hardly_seen = watched_since_ + inputs_.blind_after >= closed.until;
  return hardly_seen ? std::min(closed.until, watched_since_) : closed.until;
}

}  // namespace nlc::sim::rules

#include "sim/rules/silence.h"

#include <algorithm>

#include "runtime/go_duration.h"
#include "sim/rules/node_facts.h"
#include "sim/rules/remaining_time.h"

namespace nlc::sim::rules {
namespace {

using Outage = RuleInputs::Outage;

/// While a watch stands still leases are listed every five seconds: what was heard just before the
/// server was closed is seen after, and a short time without heartbeats is no gap then. Where it
/// went with a restore nobody sees it.
constexpr Duration seen_late = std::chrono::seconds(5);

/// Of a kubelet that renews every ten seconds, for longer than anything goes wrong.
constexpr std::size_t most_earlier = 40;

/// All connections are cut by a restore: whoever connects again sees it.
constexpr Duration restore_noticed = std::chrono::seconds(3);

bool has_just_ended(const Outage& outage, Instant at) {
  return outage.until <= at && at - outage.until <= exact_enough;
}

}  // namespace

void Silence::heard(const std::string& node, Source source, const Heartbeat& heartbeat) {
  const auto [found, first] = nodes_.try_emplace(node);
  Heartbeats& known = found->second;
  if (first) {
    known.last = heartbeat;
  } else {
    const Duration gap = silent_for(known, heartbeat.at);
    if (known.mark && gap < inputs_.grace) breach_.note("silent", *known.mark);
    if (gap + exact_enough >= inputs_.grace) known.silent_until = heartbeat.at;
    known.add(heartbeat);
  }
  known.has_lease = known.has_lease || source == Source::Lease;
  known.perhaps_lost = false;
  known.gone_unseen = false;
  known.mark.reset();
}

/// Lease and status of one moment are one heartbeat.
void Silence::Heartbeats::add(const Heartbeat& heartbeat) {
  if (last.at != heartbeat.at) {
    earlier.push_back(last);
    if (earlier.size() > most_earlier) earlier.erase(earlier.begin());
  }
  last = heartbeat;
}

void Silence::Heartbeats::forget_last() {
  last = earlier.back();
  earlier.pop_back();
}

/// Behind a watch that stands still nothing is left by which anybody could know when; nor is it
/// where a lease came and went while watches begin anew. What was renewed after leases were last
/// listed, and is gone before they are again, was never heard.
void Silence::lease_deleted(const std::string& node, Instant at) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  Heartbeats& known = found->second;
  const bool came_and_went = std::ranges::any_of(inputs_.outages, [&](const Outage& outage) {
    return has_just_ended(outage, at) && outage.until <= known.last.at;
  });
  known.gone_unseen = came_and_went || covers(inputs_.lease_watch_held, at);
  if (covers(inputs_.leases_unwatched, at)) {
    while (!was_listed(known.last.at, at) && !known.earlier.empty()) known.forget_last();
  }
  known.has_lease = false;
}

void Silence::begin_anew(Instant now) {
  if (nodes_.empty()) return;
  restore_ = restore_at(now);
  for (auto& [name, known] : nodes_) {
    known.perhaps_lost = true;
    if (!restore_->follows_another) known.before_restore = known.last.at;
  }
}

Silence::Restore Silence::restore_at(Instant now) const {
  Restore restore{.at = now, .down_since = now};
  for (const Outage& outage : inputs_.outages) {
    if (has_just_ended(outage, now)) restore.down_since = std::min(restore.down_since, outage.from);
  }
  restore.follows_another = restore_ && now - restore_->at <= restore_noticed;
  restore.leases_unwatched =
      covers(inputs_.leases_unwatched, now) || covers(inputs_.leases_unwatched, restore.down_since);
  return restore;
}

/// Leases are listed every five seconds where no stream tells of them, by who can list any.
bool Silence::was_listed(Instant heartbeat, Instant until) const {
  RemainingTime listable(heartbeat, until);
  for (const RuleInputs::Span& span : inputs_.leases_unlisted) {
    listable.leave_out(span.from, span.until);
  }
  return listable.left() > seen_late;
}

/// Where no watch told of it a list has to; none did in the moment in which the server came back.
bool Silence::may_be_known(const Heartbeat& taken_back) const {
  const bool came_when_all_were_gone =
      restore_->down_since < restore_->at && taken_back.at >= restore_->down_since;
  if (came_when_all_were_gone) return false;
  return !restore_->leases_unwatched || was_listed(taken_back.at, restore_->down_since);
}

/// A heartbeat that fell between two restores, and that the second took back, came on no stream and
/// is in no list: nobody can know of it.
void Silence::begin_with(const std::string& node, const Stored& stored, Instant now) {
  if (stored.is_new) nodes_.try_emplace(node, Heartbeats{.last = {.at = now}});
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  Heartbeats& known = found->second;
  known.has_lease = known.has_lease || stored.has_lease;
  const bool last_taken_back = stored.version < known.last.version;
  while (stored.version < known.last.version && !known.earlier.empty() &&
         !may_be_known(known.last)) {
    known.forget_last();
  }
  if (last_taken_back && restore_->follows_another) known.last.at = known.before_restore;
  known.before_restore = known.last.at;
}

std::optional<Instant> Silence::last_heartbeat(const std::string& node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? std::nullopt : std::optional<Instant>(found->second.last.at);
}

bool Silence::has_been(const std::string& node, Duration span, Instant at) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end() || found->second.perhaps_lost || found->second.gone_unseen) return true;
  const Heartbeats& known = found->second;
  if (has_passed(span, known, at)) return true;
  return was_lately(known.last.at, at) &&
         has_passed_since_the_one_before(span, known, known.last.at);
}

std::optional<RuleInputs::Outage> Silence::just_ended(Instant at) const {
  const auto lately = [at](Instant then, Duration noticed) {
    return at > then + noticed && at <= then + kubelets_look;
  };
  if (restore_ && lately(restore_->at, restore_noticed)) {
    return Outage{.from = restore_->at, .until = restore_->at};
  }
  for (const Outage& outage : inputs_.outages) {
    const bool hid_states = outage.refused != RuleInputs::Refused::Leases;
    if (hid_states && !is_short(outage) && lately(outage.until, exact_enough)) return outage;
  }
  return std::nullopt;
}

bool Silence::may_be_marked(const std::string& node, Instant at) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return true;
  const Heartbeats& known = found->second;
  if (known.gone_unseen || has_passed(inputs_.grace, known, at)) return true;
  return was_lately(known.silent_until, at);
}

/// The last heartbeat came behind a watch that stands still, and before leases are listed; a lease
/// that is read by itself is the same as before, and has no date. By the one before it is silent.
bool Silence::silent_but_for_an_unseen_one(const Heartbeats& known, Instant at) const {
  const bool unseen = at - known.last.at <= seen_late + exact_enough &&
                      covers(inputs_.lease_watch_held, known.last.at) &&
                      covers(inputs_.leases_read_late, at);
  return unseen && has_passed_since_the_one_before(inputs_.grace, known, at);
}

void Silence::judge_mark(const std::string& node, const std::string& what, Instant at) {
  if (may_be_marked(node, at)) return;
  Heartbeats& known = nodes_.at(node);
  if (silent_but_for_an_unseen_one(known, at)) {
    known.silent_until = at;
    return;
  }
  std::string mark =
      "node " + node + " was given " + what + " " + go_duration(silent_for(known, at)) +
      " after its last heartbeat, with a grace period of " + go_duration(inputs_.grace);
  if (known.perhaps_lost) {
    known.mark = std::move(mark);
  } else {
    breach_.note("silent", std::move(mark));
  }
}

/// Since its last heartbeat, outages left out.
Duration Silence::silent_for(const Heartbeats& known, Instant until) const {
  using Refused = RuleInputs::Refused;
  const Refused of_others = known.has_lease ? Refused::Statuses : Refused::Leases;
  RemainingTime silent(known.last.at, until);
  for (const Outage& outage : inputs_.outages) {
    if (is_short(outage) || outage.refused == of_others) continue;
    silent.leave_out(seen_from(outage) + noticed_after(outage.from), seen_until(outage));
  }
  return silent.left();
}

bool Silence::has_passed(Duration span, const Heartbeats& known, Instant at) const {
  return silent_for(known, at) + exact_enough >= span;
}

/// As if the last heartbeat had not come.
bool Silence::has_passed_since_the_one_before(Duration span, const Heartbeats& known,
                                              Instant at) const {
  const Heartbeat& before = known.earlier.empty() ? known.last : known.earlier.back();
  return has_passed(span, {.last = before, .has_lease = known.has_lease}, at);
}

/// Where the server ceases to take heartbeats.
Duration Silence::noticed_after(Instant from) const {
  Duration late = covers(inputs_.lease_watch_held, from) ? seen_late : Duration{0};
  for (const RuleInputs::LateAnswers& answers : inputs_.answers_late) {
    if (covers({answers.during}, from)) late = std::max(late, answers.by);
  }
  return inputs_.blind_after + late;
}

bool Silence::is_short(const Outage& outage) const {
  return outage.until - outage.from <= inputs_.blind_after + seen_late;
}

/// What waited in a short pause is taken when that ends, also where another time begins in it.
Instant Silence::seen_from(const Outage& outage) const {
  Instant from = outage.from;
  for (const Outage& pause : inputs_.outages) {
    if (is_short(pause) && pause.from < outage.from) from = std::max(from, pause.until);
  }
  return from;
}

/// Who began to watch in the last seconds of such a time saw no more than a pause.
Instant Silence::seen_until(const Outage& outage) const {
  const bool hardly_seen = watched_since_ + inputs_.blind_after >= outage.until;
  return hardly_seen ? std::min(outage.until, watched_since_) : outage.until;
}

}  // namespace nlc::sim::rules

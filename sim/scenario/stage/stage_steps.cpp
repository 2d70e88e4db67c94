#include <algorithm>

#include "sim/scenario/stage/stage.h"

namespace nlc::sim::scenario {
namespace {

constexpr Duration other_leader_period = std::chrono::seconds(2);

/// `etcdutl snapshot restore --bump-revision`, as etcd's documentation advises.
constexpr std::uint64_t revision_bump = 1'000'000'000;

/// A lasting step without an end of its own goes on for ever.
bool has_end(const Step& step) { return step.until > step.from; }

}  // namespace

// --- the server ---------------------------------------------------------------------------------

Instant Stage::end_of(const Step& step) const {
  return has_end(step) ? origin() + step.until : Instant::max();
}

void Stage::take(const FailApi& failure, const Step& step) {
  interceptor_.fail(failure, end_of(step));
}

/// Reads that take any version come from the same cache as watches.
void Stage::take(const HoldCache& hold, const Step& step) {
  interceptor_.holds().hold(hold.resource, hold.key);
  const PastMoment now{.at = offset()};
  old_states_.keep(now, server_.backup());
  StaleReads reads{.requests = {.resources = {hold.resource}, .from_cache = true}};
  if (!hold.key.empty()) reads.requests.names = {hold.key};
  interceptor_.answer_from(*old_states_.server(now), reads, end_of(step));
  if (!has_end(step)) return;
  at(step.until, [this, hold] {
    interceptor_.holds().release(hold.resource, hold.key);
    story_.tell("step", "watches of " + hold.resource + " go on");
  });
}

void Stage::take(const PauseApi&, const Step& step) {
  server_.pause_for(step.until - offset());
  at(step.until, [this] {
    story_.tell("step", "the API server answers again");
    write_after_pause();
  });
}

void Stage::take(const Backup&, const Step&) { old_states_.keep({}, server_.backup()); }

void Stage::take(const Restore& restore, const Step& step) {
  if (old_states_.find({}) == nullptr) return cannot(step, "there is no backup");
  if (restore.down > Duration{0}) be_gone_until(time_.now() + restore.down);
  // Not here: the server may be in the middle of a request.
  at(offset() + restore.down, [this, bump = restore.bump_revision] { bring_back(bump); });
}

/// Connections are refused, and what anybody writes is lost.
void Stage::be_gone_until(Instant back) {
  interceptor_.fail({.action = FailApi::Action::Drop}, back);
  admissions_.add({.of_anybody = true}, back);
  at(offset(), [this] {
    interceptor_.break_connections();
    server_.cut_connections();
  });
}

void Stage::bring_back(bool bump_revision) {
  const Storage::Snapshot& then = *old_states_.find({});
  story_.tell("step", "the backup is back");
  record(ChangeLog::Author::Controller);
  interceptor_.break_connections();
  server_.restore(then, then.version + (bump_revision ? revision_bump : 0));
  changes_->begin_anew();
  if (rules_) rules_->begin_anew();
}

void Stage::take(const Admission& admission, const Step& step) {
  admissions_.add(admission, end_of(step));
}

void Stage::take(const StaleReads& reads, const Step& step) {
  ApiServer* past = old_states_.server(reads.as_of);
  if (past == nullptr) return cannot(step, "there is no backup");
  interceptor_.answer_from(*past, reads, end_of(step));
  if (!has_end(step)) return;
  at(step.until, [past] { past->cut_connections(); });
}

void Stage::take(const ServerClockOff& off, const Step& step) {
  interceptor_.set_date_off(off.offset);
  if (has_end(step)) at(step.until, [this] { interceptor_.set_date_off(Duration{0}); });
}

void Stage::take(const EndWatches& end, const Step&) {
  const auto ending = end.how == EndWatches::How::Closed ? WatchHub::Ending::Orderly
                      : end.how == EndWatches::How::Cut  ? WatchHub::Ending::Cut
                                                         : WatchHub::Ending::Expired;
  server_.watches().end_all(ending, end.resource);
}

void Stage::take(const Replay& replay, const Step& step) {
  const Storage::Snapshot* then = old_states_.find(replay.as_of);
  if (then == nullptr) return cannot(step, "there is no backup");
  const Resource* resource = resource_of_kind(replay.object.kind);
  const auto& objects = then->objects[resource->id];
  const auto found = objects.find(key_of(replay.object));
  if (found == objects.end()) return cannot(step, "there was no such object then");
  server_.watches().tell_again(*resource, found->second);
}

/// A write of somebody else's that took its time.
void Stage::store_later(Duration delay, std::function<void()> store) {
  at(offset() + delay, [this, store = std::move(store)] {
    record(ChangeLog::Author::Controller);
    store();
    record(ChangeLog::Author::SomebodyElse);
  });
}

// --- the controller -----------------------------------------------------------------------------

void Stage::cannot(const Step& step, const std::string& why) {
  impossible_.push_back(
      {.expectation = step.text, .seen = "at " + offset_text(offset()) + ": " + why});
  story_.tell("step", why);
}

std::optional<std::string> Stage::replica_of(const Target& target, const Step& step) {
  if (!target.leader) return target.replica;
  const std::vector<std::string> leaders = replicas_->leaders();
  if (!leaders.empty()) return leaders.front();
  cannot(step, "nobody leads");
  return std::nullopt;
}

void Stage::take(const StartController& start, const Step&) {
  if (start.held_until) hold_leadership(*start.held_until);
  replicas_->start(start.replica);
}

void Stage::take(const StopController& stop, const Step& step) {
  if (const auto replica = replica_of(stop.target, step)) replicas_->stop(*replica);
}

void Stage::take(const KillController& kill, const Step& step) {
  if (const auto replica = replica_of(kill.target, step)) replicas_->kill(*replica);
}

void Stage::take(const PauseController& pause, const Step& step) {
  const auto replica = replica_of(pause.target, step);
  if (!replica) return;
  replicas_->pause(*replica);
  if (has_end(step)) at(step.until, [this, replica = *replica] { replicas_->resume(replica); });
}

void Stage::take(const ResumeController& resume, const Step& step) {
  if (const auto replica = replica_of(resume.target, step)) replicas_->resume(*replica);
}

void Stage::take(const RestartController& restart, const Step& step) {
  const auto replica = replica_of(restart.target, step);
  if (replica) replicas_->restart(*replica, restart.down);
}

void Stage::take(const SetLink& cut, const Step& step) {
  const auto replica = replica_of(cut.target, step);
  if (!replica) return;
  replicas_->set_link(*replica, cut.link);
  if (!has_end(step)) return;
  at(step.until, [this, replica = *replica] {
    story_.tell("step", "the link of " + (replica.empty() ? "the controller" : replica) + " is up");
    replicas_->set_link(replica, Link::Up);
  });
}

void Stage::take(const SetCalendar& calendar, const Step& step) {
  const auto replica = replica_of(calendar.target, step);
  if (!replica) return;
  replicas_->set_calendar(*replica, calendar.offset);
  if (!has_end(step)) return;
  at(step.until, [this, replica = *replica] { replicas_->set_calendar(replica, Duration{0}); });
}

void Stage::take(const Remark&, const Step&) {}

/// Somebody else renews the lease, for the last time so that it runs out then.
void Stage::hold_leadership(Duration until) {
  const program::LeaderElectFlags& elect = flags_.leader_elect;
  const Duration last = until - elect.lease_duration;
  const WallTime renewed = time_.wall_now() + std::chrono::floor<std::chrono::microseconds>(
                                                  std::min(last - offset(), Duration{0}));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elect.lease_duration);
  external_actors_.put(
      {{"apiVersion", "coordination.k8s.io/v1"},
       {"kind", "Lease"},
       {"metadata", {{"name", elect.resource_name}, {"namespace", elect.resource_namespace}}},
       {"spec",
        {{"holderIdentity", "somebody-else"},
         {"leaseDurationSeconds", seconds.count()},
         {"renewTime", rfc3339_micro(renewed)}}}});
  if (offset() >= last) return;
  at(std::min(last, offset() + other_leader_period), [this, until] { hold_leadership(until); });
}

}  // namespace nlc::sim::scenario

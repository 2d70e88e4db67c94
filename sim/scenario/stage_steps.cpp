#include <algorithm>

#include "sim/scenario/stage.h"

namespace nlc::sim::scenario {
namespace {

constexpr Duration other_leader_period = std::chrono::seconds(2);

/// A lasting step without an end of its own goes on for ever.
bool has_end(const Step& step) { return step.until > step.from; }

}  // namespace

// --- the server ---------------------------------------------------------------------------------

void Stage::take(const FailApi& failure, const Step& step) {
  door_.fail(failure, has_end(step) ? origin() + step.until : Instant::max());
}

void Stage::take(const HoldCache& hold, const Step& step) {
  door_.holds().hold(hold.resource, hold.key);
  if (!has_end(step)) return;
  at(step.until, [this, hold] {
    door_.holds().release(hold.resource, hold.key);
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
  const controller::LeaderElectFlags& elect = flags_.leader_elect;
  const Duration last = until - elect.lease_duration;
  const WallTime renewed = time_.wall_now() + std::chrono::floor<std::chrono::microseconds>(
                                                  std::min(last - offset(), Duration{0}));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elect.lease_duration);
  outsider_.put(
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

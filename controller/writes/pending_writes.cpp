#include "controller/writes/pending_writes.h"

#include <algorithm>
#include <utility>

#include "runtime/earlier.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

/// As long as how a write fared matters for its repetition.
constexpr Duration remembered = std::chrono::minutes(10);
/// A busy server takes less, with as many requests in flight as there may be; a webhook that is
/// late takes more, and its group keeps to its turns.
constexpr Duration quickly = std::chrono::milliseconds(500);

}  // namespace

bool PendingWrites::wanted(Slot slot) const {
  const auto found = writes_.find(slot);
  return found != writes_.end() && found->second.wanted;
}

bool PendingWrites::in_flight(Slot slot) const {
  const auto found = writes_.find(slot);
  return found != writes_.end() && found->second.retry.in_flight();
}

std::optional<PendingWrites::Progress> PendingWrites::progress(Slot slot, Instant now) const {
  const auto found = writes_.find(slot);
  if (found == writes_.end()) return std::nullopt;
  const Write& write = found->second;
  return Progress{.wanted = write.wanted,
                  .in_flight = write.retry.in_flight(),
                  .accepted = write.accepted,
                  .failed = write.retry.is_repeated(),
                  .due = write.due,
                  .retry_at = write.retry.retry_at(now)};
}

void PendingWrites::want(Slot slot, Instant due, Instant now, Group group) {
  const auto [known, is_new] = writes_.try_emplace(slot);
  Write& write = known->second;
  if (is_new) write.group = group;
  const bool anew = !std::exchange(write.wanted, true);
  if (write.accepted) return;
  write.due = due;
  if (write.retry.in_flight()) return;
  if (anew && write.retry.did_not_last(now, random_)) undone_.push_back(slot);
  schedule(slot, write, now);
}

void PendingWrites::wait(Slot slot, Instant due, Instant now) {
  Write& write = writes_.at(slot);
  write.due = due;
  schedule(slot, write, now);
}

void PendingWrites::unwant(Slot slot, Instant now) {
  const auto found = writes_.find(slot);
  if (found == writes_.end()) return;
  found->second.wanted = found->second.accepted = false;
  unschedule(slot, found->second);
  if (!found->second.retry.in_flight()) let_rest(slot, now);
}

void PendingWrites::gave_way(Slot slot) {
  const auto found = writes_.find(slot);
  if (found != writes_.end()) found->second.retry.gave_way();
}

void PendingWrites::forget(Slot slot) {
  const auto found = writes_.find(slot);
  if (found == writes_.end()) return;
  unschedule(slot, found->second);
  if (found->second.retry.in_flight()) landed(slot);
  writes_.erase(found);
}

/// What was never taken and has not failed leaves nothing to remember.
void PendingWrites::let_rest(Slot slot, Instant now) {
  const auto found = writes_.find(slot);
  if (!found->second.retry.has_history()) {
    writes_.erase(found);
  } else {
    resting_.emplace_back(now, slot);
  }
  while (!resting_.empty() && now - resting_.front().first >= remembered) {
    const auto old = writes_.find(resting_.front().second);
    resting_.pop_front();
    const bool rests =
        old != writes_.end() && !old->second.wanted && !old->second.retry.in_flight();
    if (rests) writes_.erase(old);
  }
}

/// What has become due gets its turn.
void PendingWrites::line_up(Instant now) {
  for (const Stage stage : {Stage::Fresh, Stage::Repeated}) {
    Agenda& agenda = agendas_[stage];
    while (!agenda.empty() && agenda.begin()->first <= now) {
      const Slot slot = agenda.begin()->second;
      agenda.erase(agenda.begin());
      Write& write = writes_.at(slot);
      write.in_line = true;
      orders_[write.attempt()].join(slot, write.group);
    }
  }
}

/// False: no more of these.
bool PendingWrites::settle(Choice choice, Slot slot, Instant now) {
  if (choice == Choice::Send) begin(slot, now);
  if (choice == Choice::Drop) unwant(slot, now);
  return choice != Choice::Stop;
}

void PendingWrites::begin(Slot slot, Instant now) {
  Write& write = writes_.at(slot);
  write.sent = now;
  if (write.in_line) orders_[write.attempt()].served(slot);
  for (FairOrder& order : orders_.all) order.sent(write.group);
  unschedule(slot, write);
  if (std::exchange(write.accepted, false)) undone_.push_back(slot);
  write.retry.begin();
  if (write.attempt() == client::Try::Again) ++repeating_;
}

PendingWrites::Write& PendingWrites::landed(Slot slot) {
  Write& write = writes_.at(slot);
  for (FairOrder& order : orders_.all) order.answered(write.group);
  if (write.attempt() == client::Try::Again) --repeating_;
  return write;
}

/// Also by a refusal: whoever says no at once keeps nobody waiting.
PendingWrites::Write& PendingWrites::answered(Slot slot, Instant now) {
  Write& write = landed(slot);
  if (now - write.sent <= quickly) orders_[write.attempt()].promote_next(write.group);
  return write;
}

/// One that stays where it is keeps its turn.
void PendingWrites::schedule(Slot slot, Write& write, Instant now) {
  if (!write.wanted) {
    unschedule(slot, write);
    return let_rest(slot, now);
  }
  const Instant when = std::max(write.due, write.retry.retry_at(now).value_or(write.due));
  const Stage stage = write.accepted              ? Stage::Accepted
                      : write.retry.is_repeated() ? Stage::Repeated
                                                  : Stage::Fresh;
  if (write.scheduled == when && write.stage == stage) return;
  unschedule(slot, write);
  write.scheduled = when;
  write.stage = stage;
  agendas_[stage].emplace(when, slot);
}

void PendingWrites::unschedule(Slot slot, Write& write) {
  if (!write.scheduled) return;
  if (std::exchange(write.in_line, false)) {
    orders_[write.attempt()].leave(slot, write.group);
  } else {
    agendas_[write.stage].erase({*write.scheduled, slot});
  }
  write.scheduled.reset();
}

void PendingWrites::release_refused(const Write& taken, Instant now) {
  if (!release_.begins_with(taken.retry, now)) return;
  for (auto& [slot, write] : writes_) {
    if (!write.scheduled || !write.retry.was_refused()) continue;
    write.retry.hurry();
    schedule(slot, write, now);
  }
}

PendingWrites::Write& PendingWrites::taken(Slot slot, Instant now) {
  Write& write = answered(slot, now);
  release_refused(write, now);
  write.retry.succeeded(now);
  return write;
}

void PendingWrites::succeeded(Slot slot, Instant now) {
  Write& write = taken(slot, now);
  if (write.wanted && write.retry.did_not_last(now, random_)) undone_.push_back(slot);
  schedule(slot, write, now);
}

void PendingWrites::accepted(Slot slot, Instant again, Instant now) {
  Write& write = taken(slot, now);
  (void)write.retry.did_not_last(now, random_);  // what follows waits, each time longer
  write.accepted = write.wanted;                 // else its effect has been seen
  write.due = again;
  schedule(slot, write, now);
}

void PendingWrites::doubt_accepted(Instant now) {
  for (auto& [slot, write] : writes_) {
    if (!write.accepted) continue;
    write.due = now;
    schedule(slot, write, now);
  }
}

void PendingWrites::goes_on(Slot slot, Instant now) {
  Write& write = landed(slot);
  write.retry.not_sent();
  schedule(slot, write, now);
}

bool PendingWrites::met_conflict(Slot slot, Instant now) {
  Write& write = answered(slot, now);
  const bool again = write.retry.met_conflict(now, random_);
  schedule(slot, write, now);
  return again;
}

void PendingWrites::failed(Slot slot, const Error& error, Instant now) {
  Write& write = answered(slot, now);
  if (planted("refused-pod-write-forgotten")) write.wanted = false;
  write.retry.failed(now, random_, error);
  schedule(slot, write, now);
}

std::optional<Instant> PendingWrites::next_after(Instant now) const {
  std::optional<Instant> next;
  for (const Agenda& agenda : agendas_.all) {
    const auto found = agenda.upper_bound({now, ~Slot{0}});
    if (found != agenda.end()) next = earlier(next, found->first);
  }
  return next;
}

}  // namespace nlc::controller

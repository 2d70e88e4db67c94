#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "client/limits/room.h"
#include "controller/rules/decision.h"
#include "controller/writes/fair_order.h"
#include "controller/writes/retry_state.h"
#include "informer/store.h"
#include "runtime/random.h"

namespace nlc::controller {

/// Writes to pods that are wanted, one for each, with the moment from which it may be tried. What
/// is due costs only itself, however many wait for their moment, their answers or the end of a
/// back-off. What has not failed yet goes before what has. Of each of the two, groups take turns
/// (`FairOrder`), and one that has none in flight finds room when all others' hang.
///
/// When one that was refused for good is taken after all, the others of that kind are tried again
/// soon: a policy or a right may have been changed for all of them.
///
/// How a write fared is remembered for a while after it is wanted no more, so that one that
/// somebody undoes each time is not repeated without a wait that grows.
///
/// Pure, on one thread. Whoever asks for `each_due` performs what it chose to send, and tells of
/// each answer, once.
class PendingWrites {
 public:
  using Slot = informer::Slot;
  using Group = FairOrder::Group;

  explicit PendingWrites(std::uint64_t seed) : random_(seed) {}

  /// May be tried from `due` on, or from the end of its back-off; one that waits already is moved.
  /// Writes that may well hang together are of one group; a slot keeps its group until forgotten.
  void want(Slot slot, Instant due, Instant now, Group group = 0);
  /// Of one that is due: not before `due` after all.
  void wait(Slot slot, Instant due, Instant now);
  /// A write is not to be tried any more. What is in flight stays so until it is answered.
  void unwant(Slot slot, Instant now);
  /// What was taken is over, and nobody undid it: it may be wanted again as if it were new.
  void gave_way(Slot slot);
  /// There is no such pod any more.
  void forget(Slot slot);

  bool wanted(Slot slot) const;
  bool in_flight(Slot slot) const;
  /// Wanted, and neither in flight nor accepted.
  std::size_t waiting() const {
    return agendas_[Stage::Fresh].size() + orders_[client::Try::First].line().size() +
           waiting_again();
  }
  /// Those that failed or were undone, and are wanted or tried again.
  std::size_t troubled() const { return waiting_again() + repeating_; }

  /// How one write stands; nothing where it was never wanted.
  struct Progress {
    bool wanted = false;
    bool in_flight = false;
    bool accepted = false;  ///< its effect is yet to be seen
    bool failed = false;    ///< the next try repeats what failed
    Instant due;            ///< not before
    std::optional<Instant> retry_at;
  };
  std::optional<Progress> progress(Slot slot, Instant now) const;
  /// Calls `visit(slot, when)` for the first `count` of each stage, and of those that are due.
  template <typename Visit>
  void each_upcoming(std::size_t count, Visit visit) const {
    for (const FairOrder& order : orders_.all) {
      std::size_t due = 0;
      for (const auto& [rank, slot] : order.line()) {
        if (due++ == count) break;
        visit(slot, *writes_.at(slot).scheduled);
      }
    }
    for (const Agenda& agenda : agendas_.all) {
      std::size_t left = count;
      for (auto next = agenda.begin(); next != agenda.end() && left > 0; ++next, --left) {
        visit(next->second, next->first);
      }
    }
  }

  enum class Choice {
    Send,     ///< it is in flight from now on
    Drop,     ///< it is not wanted
    Leave,    ///< it stays due
    Crowded,  ///< it stays due, and so do all whose group has some in flight
    Stop      ///< it stays due, and so do all behind it that failed as it did, or have not
  };
  struct Trial {
    Slot slot;
    client::Try attempt;
    client::Share share;

    /// Nothing: a place in the room has been taken for it; else what is to become of it.
    std::optional<Choice> take_place(client::Room& room) const {
      const client::RequestKind kind{client::RequestPriority::PodWrite, attempt};
      if (room.take(kind, share)) return std::nullopt;
      return room.may_take(kind) ? Choice::Crowded : Choice::Stop;
    }
  };
  /// Asks `choose(trial)` about each that may be tried now.
  template <typename Choose>
  void each_due(Instant now, Choose choose) {
    line_up(now);
    each_in_line(client::Try::First, now, choose);
    each_accepted(now, choose);
    each_in_line(client::Try::Again, now, choose);
  }

  // Of one in flight.

  /// The write was taken. If it is still wanted, its effect does not show, and it waits.
  void succeeded(Slot slot, Instant now);
  /// The write was taken, and its effect is yet to be seen while it is wanted: it is due `again`,
  /// unless it is wanted no more until then.
  void accepted(Slot slot, Instant again, Instant now);
  /// What was accepted may have been lost: it is due now.
  void doubt_accepted(Instant now);
  /// Another step follows the write, at once.
  void goes_on(Slot slot, Instant now);
  /// The live object has been read. True: not for the first time.
  bool met_conflict(Slot slot, Instant now);
  void failed(Slot slot, const Error& error, Instant now);

  /// When the next one comes that may not be tried yet.
  std::optional<Instant> next_after(Instant now) const;

  /// Those that were taken and had to be wanted again, since the last call.
  std::vector<Slot> take_undone() { return std::exchange(undone_, {}); }

 private:
  enum class Stage : std::uint8_t { Fresh, Repeated, Accepted };
  using Agenda = std::set<std::pair<Instant, Slot>>;
  struct Agendas {
    std::array<Agenda, 3> all;  ///< by stage; of what is fresh or repeated: not yet due
    Agenda& operator[](Stage stage) { return all[static_cast<std::size_t>(stage)]; }
    const Agenda& operator[](Stage stage) const { return all[static_cast<std::size_t>(stage)]; }
  };
  struct Orders {
    std::array<FairOrder, 2> all;  ///< by try
    FairOrder& operator[](client::Try attempt) { return all[static_cast<std::size_t>(attempt)]; }
    const FairOrder& operator[](client::Try attempt) const {
      return all[static_cast<std::size_t>(attempt)];
    }
  };
  struct Write {
    RetryState retry;
    bool wanted = false;
    bool accepted = false;             ///< and wanted, its effect is yet to be seen
    Instant due = Instant::min();      ///< not before
    std::optional<Instant> scheduled;  ///< when it may be tried; nothing: not at all
    bool in_line = false;              ///< of what is due; else it is in an agenda
    Instant sent;                      ///< when it was tried last
    Group group = 0;
    Stage stage = Stage::Fresh;

    client::Try attempt() const {
      return stage == Stage::Fresh ? client::Try::First : client::Try::Again;
    }
  };

  Trial trial_of(Slot slot, client::Try attempt) const {
    const bool more = orders_[attempt].has_in_flight(writes_.at(slot).group);
    return {slot, attempt, more ? client::Share::More : client::Share::First};
  }
  template <typename Choose>
  void each_in_line(client::Try attempt, Instant now, Choose& choose) {
    const std::set<FairOrder::Place>& line = orders_[attempt].line();
    for (auto next = line.begin(); next != line.end();) {
      const Slot slot = next->second;
      ++next;
      const Choice choice = choose(trial_of(slot, attempt));
      if (choice == Choice::Crowded) return each_of_idle_groups(attempt, now, choose);
      if (!settle(choice, slot, now)) return;
    }
  }
  /// Of those that are left only these may find room: they are few, and this goes on for as long as
  /// something hangs.
  template <typename Choose>
  void each_of_idle_groups(client::Try attempt, Instant now, Choose& choose) {
    for (const auto& [rank, slot] : orders_[attempt].line_of_idle_groups()) {
      const Trial trial = trial_of(slot, attempt);
      if (trial.share == client::Share::More) continue;  // another of its group was sent just now
      if (!settle(choose(trial), slot, now)) return;
    }
  }

  template <typename Choose>
  void each_accepted(Instant now, Choose& choose) {
    const Agenda& due = agendas_[Stage::Accepted];
    for (auto next = due.begin(); next != due.end() && next->first <= now;) {
      const Slot slot = next->second;
      ++next;
      const Trial trial{slot, client::Try::Again, client::Share::First};
      if (!settle(choose(trial), slot, now)) return;
    }
  }

  std::size_t waiting_again() const {
    return agendas_[Stage::Repeated].size() + orders_[client::Try::Again].line().size();
  }
  void line_up(Instant now);
  bool settle(Choice choice, Slot slot, Instant now);
  void begin(Slot slot, Instant now);
  Write& landed(Slot slot);
  Write& answered(Slot slot, Instant now);
  Write& taken(Slot slot, Instant now);
  void release_refused(const Write& taken, Instant now);
  void schedule(Slot slot, Write& write, Instant now);
  void unschedule(Slot slot, Write& write);
  void let_rest(Slot slot, Instant now);

  Random random_;
  std::map<Slot, Write> writes_;
  Agendas agendas_;
  Orders orders_;                                 ///< of what is due
  std::deque<std::pair<Instant, Slot>> resting_;  ///< wanted no more since then
  std::vector<Slot> undone_;
  RefusalRelease release_;
  std::size_t repeating_ = 0;  ///< in flight, and not for the first time
};

/// Whatever makes one pod's writes hang is most often about its namespace or its node.
inline PendingWrites::Group group_of(const api::Pod& pod) {
  const std::hash<std::string_view> hash;
  return hash(pod.namespace_) * 31 + hash(pod.node_name);
}

/// The slot of a pod whose answer is waited for: of that very pod, not of one that took its name.
inline std::optional<informer::Slot> slot_in_flight(const PendingWrites& writes, const PodRef& pod,
                                                    const informer::Store<api::Pod>& pods) {
  const std::optional<informer::Slot> slot = pods.slot_of(pod.key());
  if (!slot || !writes.in_flight(*slot) || !pods.has_uid(*slot, pod.uid)) return std::nullopt;
  return slot;
}

}  // namespace nlc::controller

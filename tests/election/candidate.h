#pragma once

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>

#include "election/election_machine.h"
#include "tests/next_step.h"

/// Words for the tests of the election machine: what the server answers, and what is wanted next.
namespace nlc::election::testing {

using namespace std::chrono_literals;

inline constexpr Instant start = Instant{} + 1000h;
inline constexpr WallTime noon = std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} + 12h;

/// Rates of clocks may differ and threads be late: so much before the lease ends a leadership is
/// over, a hundredth of it and a time slice.
inline constexpr Duration validity = 15s - 150ms - 100ms;

/// Without a holder: as whoever released it wrote it.
inline LockRecord lease(std::string holder, std::string version, std::string uid = "u1") {
  LockRecord result;
  result.uid = std::move(uid);
  result.version = std::move(version);
  result.duration_seconds = holder.empty() ? 1 : 15;
  result.holder = std::move(holder);
  result.acquired = noon - 1h;
  result.renewed = noon - 1h;
  result.transitions = 3;
  return result;
}

/// One candidate, "baz" with 15 s, 10 s and 2 s. `now` moves only where a test says so.
struct Candidate : tests::WantedStep<ElectionStep> {
  explicit Candidate(ElectionOptions options = {.identity = "baz"}, std::uint64_t seed = 1)
      : machine(std::move(options), Random(seed)) {
    next = machine.look(start);
  }

  /// The record that is to be written.
  LockRecord record() const {
    return would<CreateLock>() ? wants<CreateLock>().record : wants<WriteLock>().record;
  }
  bool leads() const { return machine.leads(now); }

  void reads(LockRecord found) { go_on(machine.on_read(std::move(found), now, wall())); }
  void read_fails(Fault fault) {
    go_on(machine.on_read(Error{.fault = fault, .path = "GET"}, now, wall()));
  }
  /// The server takes what was written, after so long.
  void writes(std::string version, Duration answer_delay = {}) {
    LockRecord taken = record();
    taken.version = std::move(version);
    if (taken.uid.empty()) taken.uid = "u1";
    now += answer_delay;
    written = taken;
    go_on(machine.on_written(std::move(taken), sent, now));
  }
  /// What the server took last, at a version of today: somebody touched it.
  LockRecord mine(std::string version) const {
    LockRecord record = written;
    record.version = std::move(version);
    return record;
  }
  void write_fails(Fault fault, Duration answer_delay = {}) {
    now += answer_delay;
    go_on(machine.on_written(Error{.fault = fault, .path = "PUT"}, sent, now));
  }
  /// Waits as the machine asks; how long that was.
  Duration wait(Work work = Work::Moving) {
    const Duration waited = wants<Pause>().until - now;
    now = std::max(now, wants<Pause>().until);
    go_on(machine.wake(now, wall(), work));
    return waited;
  }
  /// Instead of the rest of a pause.
  void looks() { go_on(machine.look(now)); }
  /// Polls until then as ever, and finds the same each time; nothing: no lock.
  void polls_until(Instant then, const std::optional<LockRecord>& found) {
    for (; now + 5s < then; found ? reads(*found) : read_fails(Fault::NotFound)) {
      now += 5s;
      looks();
    }
    now = then;
  }
  /// The same, and looks once more then.
  void finds_until(Instant then, const LockRecord& found) {
    polls_until(then, found);
    looks();
    reads(found);
  }
  /// A watch shows it; whether that is worth a look.
  bool sees(const LockRecord& record) { return machine.on_change(record, false, now); }
  bool sees_gone(const LockRecord& record) { return machine.on_change(record, true, now); }
  bool sees_half(const LockRecord& half, const std::string& pair_version) {
    return machine.on_half_change(half, false, pair_version, now);
  }

  void stop() {
    if (auto step = machine.stop()) go_on(std::move(*step));
  }

  void become_leader() {
    reads(lease("", "10"));
    writes("11");
    EXPECT_TRUE(leads());
  }
  /// Of a lock whose holder was silent.
  void take_over() {
    reads(lease("bing", "10"));
    finds_until(start + 15s + 1ns, lease("bing", "10"));
    writes("11");
  }

  WallTime wall() const {
    return noon + std::chrono::floor<std::chrono::microseconds>(wall_step + (now - start));
  }

  Instant now = start;
  Duration wall_step{0};
  Instant sent = start;
  LockRecord written;
  ElectionMachine machine;

 private:
  void go_on(ElectionStep step) {
    sent = now;
    next = std::move(step);
  }
};

}  // namespace nlc::election::testing

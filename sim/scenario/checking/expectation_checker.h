#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/checking/look.h"
#include "sim/scenario/model/outcome.h"

namespace nlc::sim::scenario {

/// Watches one expectation through a run and tells at most one failure: the first.
///
/// Calls follow: `look_before` just before time moves on to `from`; `look` whenever something
/// changed and at both ends of the interval, in the order of time.
class ExpectationChecker {
 public:
  /// `taken_over`: from when on another expectation speaks of the same things.
  struct Setting {
    bool was_expected_before = false;  ///< an earlier expectation wants the same
    Duration taken_over = Duration::max();
  };
  ExpectationChecker(const Expectation& expectation, Setting setting);

  void look_before(const Stage& stage);
  void look(const Stage& stage);

  /// What it watches may change without a write: metrics, the process.
  bool watches_process() const { return watches_process_; }

  /// Nothing that comes can change its mind.
  bool is_done(Duration now) const;
  const std::optional<Failure>& failure() const { return failure_; }
  const When& when() const { return expectation_.when; }

 private:
  /// What one check showed the last time, as long as its object did not change.
  struct Known {
    ObjectRef object;
    Seen seen;
  };
  /// When the two facts of a delay came true.
  struct Moments {
    std::optional<Duration> from;
    std::optional<Duration> to;
  };

  const Check* first_unmet(const Stage& stage, std::string& seen);
  Seen look_at_check(std::size_t number, const Stage& stage);
  void look_at_beginning(const Stage& stage);
  void note_moments(const Stage& stage);
  Seen delay_seen(std::size_t number) const;
  void fail(const Check& check, Duration at, const std::string& seen);
  void judge(const Stage& stage);

  const Expectation& expectation_;
  const Setting setting_;
  const bool watches_process_;
  std::vector<Known> known_;
  std::vector<Moments> moments_;
  bool was_so_before_ = false;
  bool met_ = false;  ///< of `becomes`: at the end of its interval
  std::optional<Failure> failure_;
};

/// One for each expectation that concerns releases like ours.
std::vector<ExpectationChecker> checkers_of(const std::vector<Expectation>& expectations);

}  // namespace nlc::sim::scenario

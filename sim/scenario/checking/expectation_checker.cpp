#include "sim/scenario/checking/expectation_checker.h"

#include <algorithm>
#include <utility>

#include "runtime/go_duration.h"
#include "sim/scenario/model/releases.h"
#include "sim/scenario/stage/facts.h"

namespace nlc::sim::scenario {
namespace {

std::string when_text(const When& when) {
  const std::string from = go_duration(when.from);
  const std::string span = "[" + from + ", " + go_duration(when.until) + "] ";
  switch (when.kind) {
    case When::Kind::Holds:
      return "holds " + span;
    case When::Kind::Becomes:
      return "becomes " + span;
    case When::Kind::At:
      return "at " + from + " ";
    case When::Kind::CountedIn:
      return "counted_in " + span;
  }
  std::abort();  // unreachable: the switch is exhaustive
}

/// The object whose bytes alone decide the check; null when there is none such.
ObjectRef object_of(const Check& check, const Storage& storage) {
  const auto core = [&](std::string_view plural, const std::string& key) {
    return storage.find(core_resource(plural), key);
  };
  if (const auto* node = std::get_if<NodeCheck>(&check.what)) return core("nodes", node->name);
  if (const auto* pod = std::get_if<PodCheck>(&check.what)) {
    return core("pods", pod->namespace_name + "/" + pod->name);
  }
  return nullptr;
}

template <typename... Kinds>
bool is_one_of(const Check& check) {
  return (std::holds_alternative<Kinds>(check.what) || ...);
}

bool is_about_process(const Check& check) {
  return is_one_of<MetricCheck, WhyCheck, ZoneCheck, ProcessCheck, LeadersCheck, RulesCheck,
                   SettledCheck, HealthLineCheck, ControllersCheck>(check);
}

bool is_state(const When& when) { return when.kind != When::Kind::CountedIn; }

/// Whether a thing exists concerns all that is said of it.
bool covers(const std::string& subject, const std::string& other) {
  return subject == other || other.starts_with(subject + " ");
}

bool share_a_subject(const Check& one, const Check& other) {
  return std::ranges::any_of(one.subjects, [&](const std::string& subject) {
    return std::ranges::any_of(other.subjects, [&](const std::string& another) {
      return covers(subject, another) || covers(another, subject);
    });
  });
}

bool speak_of_the_same(const Expectation& left, const Expectation& right) {
  for (const Check& one : left.that) {
    for (const Check& other : right.that) {
      if (share_a_subject(one, other)) return true;
    }
  }
  return false;
}

bool wants_the_same(const Expectation& left, const Expectation& right) {
  return std::ranges::any_of(left.that, [&](const Check& one) {
    return std::ranges::any_of(right.that,
                               [&](const Check& other) { return one.text == other.text; });
  });
}

ExpectationChecker::Setting setting_of(const Expectation& expectation,
                                       const std::vector<Expectation>& expectations) {
  ExpectationChecker::Setting setting;
  for (const Expectation& other : expectations) {
    if (&other == &expectation || !is_state(other.when)) continue;
    if (other.when.from < expectation.when.from && wants_the_same(other, expectation)) {
      setting.was_expected_before = true;
    }
    if (other.when.from > expectation.when.until && speak_of_the_same(other, expectation)) {
      setting.taken_over = std::min(setting.taken_over, other.when.from);
    }
  }
  return setting;
}

}  // namespace

ExpectationChecker::ExpectationChecker(const Expectation& expectation, Setting setting)
    : expectation_(expectation),
      setting_(setting),
      watches_process_(std::ranges::any_of(expectation.that, is_about_process)),
      known_(expectation.that.size()),
      moments_(expectation.that.size()) {}

bool ExpectationChecker::is_done(Duration now) const {
  if (failure_) return true;
  const bool stays = expectation_.when.kind == When::Kind::Becomes;
  return stays ? now >= setting_.taken_over : now > expectation_.when.until;
}

void ExpectationChecker::look_before(const Stage& stage) {
  if (expectation_.when.kind != When::Kind::Becomes || setting_.was_expected_before) return;
  std::string seen;
  was_so_before_ = first_unmet(stage, seen) == nullptr;
}

/// What is to become so must not be so yet; a step at that very moment may have undone it.
void ExpectationChecker::look_at_beginning(const Stage& stage) {
  if (!std::exchange(was_so_before_, false)) return;
  std::string seen;
  if (first_unmet(stage, seen) != nullptr) return;
  fail(expectation_.that.front(), stage.offset(), "it was so before");
}

void ExpectationChecker::look(const Stage& stage) {
  const Duration now = stage.offset();
  if (now < expectation_.when.from || is_done(now)) return;
  look_at_beginning(stage);
  if (expectation_.when.kind == When::Kind::CountedIn) {
    note_moments(stage);
    if (now < expectation_.when.until) return;
  }
  if (expectation_.when.kind == When::Kind::Becomes && now < expectation_.when.until) return;
  judge(stage);
}

void ExpectationChecker::judge(const Stage& stage) {
  std::string seen;
  const Check* unmet = first_unmet(stage, seen);
  if (unmet == nullptr) {
    met_ = true;
    return;
  }
  if (met_ && expectation_.when.kind == When::Kind::Becomes) seen.insert(0, "no longer so: ");
  fail(*unmet, stage.offset(), seen);
}

const Check* ExpectationChecker::first_unmet(const Stage& stage, std::string& seen) {
  for (std::size_t i = 0; i < expectation_.that.size(); ++i) {
    Seen found = look_at_check(i, stage);
    if (found.holds) continue;
    seen = std::move(found.what);
    return &expectation_.that[i];
  }
  return nullptr;
}

Seen ExpectationChecker::look_at_check(std::size_t number, const Stage& stage) {
  const Check& check = expectation_.that[number];
  if (std::holds_alternative<DelayCheck>(check.what)) return delay_seen(number);
  const Span span{.from = is_state(expectation_.when) ? Duration{0} : expectation_.when.from,
                  .until = std::min(expectation_.when.until, stage.offset())};
  ObjectRef object = object_of(check, stage.storage());
  if (!object) return scenario::look(check, stage, span);
  Known& known = known_[number];
  if (known.object != object) {
    known = {.object = std::move(object), .seen = scenario::look(check, stage, span)};
  }
  return known.seen;
}

void ExpectationChecker::note_moments(const Stage& stage) {
  for (std::size_t i = 0; i < expectation_.that.size(); ++i) {
    const auto* delay = std::get_if<DelayCheck>(&expectation_.that[i].what);
    if (delay == nullptr) continue;
    Moments& moments = moments_[i];
    const auto note = [&](std::optional<Duration>& moment, const Fact& fact) {
      if (!moment && is_true(fact, stage.storage(), stage.changes())) moment = stage.offset();
    };
    note(moments.from, delay->from);
    note(moments.to, delay->to);
  }
}

Seen ExpectationChecker::delay_seen(std::size_t number) const {
  const DelayCheck& delay = std::get<DelayCheck>(expectation_.that[number].what);
  const Moments& moments = moments_[number];
  if (!moments.from) return {.what = "\"" + delay.from.text + "\" never came true"};
  if (!moments.to) return {.what = "\"" + delay.to.text + "\" never came true"};
  return {.holds = *moments.to - *moments.from <= delay.max,
          .what = "from " + offset_text(*moments.from) + " to " + offset_text(*moments.to)};
}

void ExpectationChecker::fail(const Check& check, Duration at, const std::string& seen) {
  failure_ = Failure{.expectation = when_text(expectation_.when) + check.text,
                     .seen = "at " + offset_text(at) + ": " + seen,
                     .line = expectation_.line};
}

std::vector<ExpectationChecker> checkers_of(const std::vector<Expectation>& expectations) {
  std::vector<ExpectationChecker> checkers;
  for (const Expectation& expectation : expectations) {
    if (!concerns_us(expectation.only_for) || expectation.that.empty()) continue;
    checkers.emplace_back(expectation, setting_of(expectation, expectations));
  }
  return checkers;
}

}  // namespace nlc::sim::scenario

#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "runtime/clock.h"
#include "sim/scenario/stage/request_match.h"

namespace nlc::sim::scenario {

/// The webhooks and policies that a case has set up, and for how long.
class Admissions {
 public:
  enum class Writer { Controller, SomebodyElse };
  enum class Delayed { No, Yes };

  explicit Admissions(const Clock& clock) : clock_(clock) {}

  void add(const Admission& admission, Instant until);
  /// None is in force.
  bool empty() const;
  /// One of those in force changes what is written.
  bool mutates() const;

  /// The first that keeps this write from being stored now, and counts it as used; null: none. One
  /// that was delayed is not again, and may still be refused.
  const Admission* against(const SentRequest& write, Writer writer, Delayed delayed = Delayed::No);
  /// Does to `after` what each of them does that mutates. `before` is null when it is new.
  void mutate(const SentRequest& write, Writer writer, const nlohmann::json* before,
              nlohmann::json& after);

 private:
  struct Rule {
    Admission admission;
    Instant until;
    std::optional<std::uint64_t> left;
  };
  bool in_force(const Rule& rule) const { return rule.left != 0U && clock_.now() < rule.until; }
  bool applies(Rule& rule, const SentRequest& write, Writer writer) const;

  const Clock& clock_;
  std::vector<Rule> rules_;
};

/// Whether it is that taint; a name without a value means any value.
bool is_named(const nlohmann::json& taint, const TaintName& name);

/// What the mutation makes of an object.
void mutate(const Mutation& mutation, const nlohmann::json* before, nlohmann::json& after);

}  // namespace nlc::sim::scenario

#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/apiserver/registry/storage.h"
#include "sim/rules/asked.h"
#include "sim/rules/first_breach.h"
#include "sim/rules/rule_inputs.h"

namespace nlc::sim::rules {

/// The rule `lock`: whom the lock names that the server has committed, and for how long. By the
/// server's clock alone: a record that is renewed at its commit lasts from then on for as long as
/// it says, whatever calendar its times are by. Of a lock of two objects the Lease counts, which is
/// written last.
class LockRules {
 public:
  LockRules(const RuleInputs& inputs, FirstBreach& breach) : inputs_(inputs), breach_(breach) {}

  /// The lock was written, or is gone; `by_replica`: one of those that contend did it.
  void changed(const HistoryEvent& event, bool by_replica);
  /// Another state took the place of the present one. Who was named in the one that is lost cannot
  /// know it before the next renewal, nor can others that he was
  /// (docs/decisions/0032-a-claim-may-be-erased-before-it-is-read.md).
  void begin_anew(Instant now, const ObjectRef& lock);
  /// A restore freed the lock of one of the two, and he may not have come to his end: the other,
  /// who takes it behind that, has not looked at it since it was claimed, and cannot know of him.
  bool may_not_know(const std::string& one, const std::string& other, Instant now) const;
  /// In the order of time, all that replicas ask.
  void judge(const Asked& request);

 private:
  bool is_annotated() const;
  bool is_of_the_lock(const Asked& request) const;

  struct Held {
    Instant committed;  ///< the last record that names it
    Instant until = Instant::min();
  };
  struct Freed {
    std::string holder;
    Instant until;
    std::set<std::string> knew;  ///< of his claim
  };

  const RuleInputs& inputs_;
  FirstBreach& breach_;
  std::map<std::string, Held> held_;  ///< by the name in the election, which is of one process
  /// Who was named before that may go on to his end although another is named: the lock was
  /// restored, deleted, or written by somebody who does not contend.
  Instant overturned_ = Instant::min();
  std::vector<Freed> freed_;      ///< by restores
  std::set<std::string> looked_;  ///< since the last claim
};

}  // namespace nlc::sim::rules

#pragma once

#include <string>
#include <vector>

#include "sim/rules/rules.h"

namespace nlc::sim::rules {

/// What a cluster must look like when nothing has gone wrong for long enough, by docs/spec alone.
/// Returns where it differs, in plain words; nothing when it is as it must be.
///
/// A node whose kubelet was heard within its grace period is alive, any other is dead:
///   - a dead node is Ready Unknown and tainted unreachable:NoSchedule; an alive one is not Unknown
///     and has no taint that its conditions do not ask for;
///   - in a zone that evicts, dead nodes have unreachable:NoExecute; where no node is Ready none
///   has;
///   - pods of a dead node that had reported are not Ready, and those whose time there is over are
///     being deleted;
///   - the controller has written nothing for `quiet`, but what follows from the last taint of a
///     queue of minutes.
std::vector<std::string> differences(const Storage& storage, const Rules& rules, Instant now,
                                     Duration quiet);

}  // namespace nlc::sim::rules

#pragma once

#include <optional>

#include "sim/rules/rule_inputs.h"
#include "sim/scenario/model/steps.h"

/// What a step keeps kubelets from saying, and replicas from seeing.
namespace nlc::sim::scenario {

/// What kubelets say, whichever kubelets, and is not taken.
std::optional<rules::RuleInputs::Refused> refused_heartbeats(const Step& step);
/// By so much; 0: they are not, or are not taken before.
Duration answers_writes_of_leases_late(const Step& step);

/// Some replica from the server.
bool cuts_off(const Step& step);
/// By somebody's rules, as where the role lacks the verb; what is listed is answered.
bool refuses_watches(const Step& step);
bool holds_watches_of_nodes(const Step& step);
bool holds_watches_of_leases(const Step& step);
/// Watches of leases stand still, show them late or are refused, or some replica has none: it may
/// be the one that leads later.
bool hides_leases(const Step& step);
/// All that time, some replica or all.
bool lets_nobody_list_leases(const Step& step);
bool reads_single_leases_late(const Step& step);
/// A webhook puts what it wants into nodes.
bool mutates_nodes(const Step& step);
/// Who watches nodes has to list them again.
bool lists_nodes_anew(const Step& step);

/// What users and kubelets write is seen, and a process that begins reads all anew.
bool hides_nothing(const Step& step);

}  // namespace nlc::sim::scenario

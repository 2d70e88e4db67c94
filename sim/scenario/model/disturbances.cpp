#include "sim/scenario/model/disturbances.h"

#include <algorithm>
#include <string_view>

#include "sim/scenario/model/name_pattern.h"

namespace nlc::sim::scenario {
namespace {

bool meets(const RequestFilter& requests, std::string_view verb, std::string_view resource) {
  const bool meets_verb = is_any(requests.verb) || requests.verb == verb;
  return meets_verb && is_wanted(requests.resources, resource);
}

/// What is asked of leases in this way.
bool meets_leases(const RequestFilter& requests, std::string_view verb) {
  return meets(requests, verb, "leases");
}

/// Those by which kubelets say that they live, and not the locks of controllers.
bool meets_heartbeats(const RequestFilter& asked) {
  const bool there = is_any(asked.namespace_name) || asked.namespace_name == "kube-node-lease";
  return there && is_any(asked.subresource) && meets_leases(asked, "PUT");
}

bool meets_statuses(const RequestFilter& asked) {
  const bool status = asked.subresource == "status" || asked.subresource == "*";
  return status && (meets(asked, "PUT", "nodes") || meets(asked, "PATCH", "nodes"));
}

/// Who has lost his watch of leases waits for a list before he follows them again.
bool keeps_from_listing_leases(const FailApi& fault) {
  return fault.requests.verb == "LIST" && is_wanted(fault.requests.resources, "leases");
}

/// Watches of leases break off before they have told anything, or are lost like all else.
bool loses_watches_of_leases(const FailApi& fault) {
  const bool loses = fault.action == FailApi::Action::Tear || fault.share < 1;
  return loses && is_wanted(fault.requests.resources, "leases");
}

/// Leases that are asked for in this way are answered as they were.
bool shows_leases_late(const Step& step, std::string_view verb) {
  const auto* reads = step.as<StaleReads>();
  return reads != nullptr && meets_leases(reads->requests, verb);
}

}  // namespace

std::optional<rules::RuleInputs::Refused> refused_heartbeats(const Step& step) {
  const auto* admission = step.as<Admission>();
  if (admission == nullptr || !admission->of_anybody) return std::nullopt;
  const bool refuses = admission->action == Admission::Action::Refuse ||
                       admission->action == Admission::Action::Hang;
  const RequestFilter& asked = admission->requests;
  const bool of_some = !asked.names.empty() && std::ranges::none_of(asked.names, is_pattern);
  if (!refuses || of_some) return std::nullopt;
  using Refused = rules::RuleInputs::Refused;
  const bool leases = meets_heartbeats(asked);
  const bool statuses = meets_statuses(asked);
  if (leases && statuses) return Refused::Heartbeats;
  if (leases) return Refused::Leases;
  return statuses ? std::optional(Refused::Statuses) : std::nullopt;
}

Duration answers_writes_of_leases_late(const Step& step) {
  const auto* fault = step.as<FailApi>();
  if (fault == nullptr || fault->action != FailApi::Action::Delay || !fault->applied) return {};
  return meets_leases(fault->requests, "PUT") ? fault->delay : Duration{0};
}

bool cuts_off(const Step& step) {
  const auto* link = step.as<SetLink>();
  return link != nullptr && link->link != Link::Up;
}

bool refuses_watches(const Step& step) {
  const auto* fault = step.as<FailApi>();
  return fault != nullptr && fault->requests.verb == "WATCH" && !fault->times &&
         fault->action == FailApi::Action::Answer;
}

bool holds_watches_of_nodes(const Step& step) {
  const auto* hold = step.as<HoldCache>();
  return hold != nullptr && hold->resource == "nodes";
}

bool holds_watches_of_leases(const Step& step) {
  const auto* hold = step.as<HoldCache>();
  return hold != nullptr && hold->resource == "leases" && hold->key.empty();
}

bool hides_leases(const Step& step) {
  if (const auto* fault = step.as<FailApi>()) {
    return keeps_from_listing_leases(*fault) || loses_watches_of_leases(*fault) ||
           (refuses_watches(step) && is_wanted(fault->requests.resources, "leases"));
  }
  return holds_watches_of_leases(step) || shows_leases_late(step, "WATCH") || cuts_off(step);
}

bool lets_nobody_list_leases(const Step& step) {
  const auto* fault = step.as<FailApi>();
  if (fault == nullptr) return cuts_off(step);
  const bool always = !fault->times && fault->share >= 1;
  return always && fault->action != FailApi::Action::Delay && keeps_from_listing_leases(*fault);
}

bool reads_single_leases_late(const Step& step) {
  return shows_leases_late(step, "GET") && step.as<StaleReads>()->requests.from_cache != true;
}

bool mutates_nodes(const Step& step) {
  const auto* admission = step.as<Admission>();
  return admission != nullptr && !admission->mutation.merge.is_null() &&
         is_wanted(admission->requests.resources, "nodes");
}

bool lists_nodes_anew(const Step& step) {
  const auto* end = step.as<EndWatches>();
  return end != nullptr && end->how == EndWatches::How::Expired &&
         (end->resource.empty() || end->resource == "nodes");
}

bool hides_nothing(const Step& step) {
  return is_one_of<Apply, MergePatch, ApplyPatch, Delete, Heartbeat, RenewLease, SpeakProtobuf,
                   Backup, StartController, Remark>(step.action);
}

}  // namespace nlc::sim::scenario

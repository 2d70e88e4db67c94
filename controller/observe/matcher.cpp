#include "controller/observe/matcher.h"

#include <cstdlib>

namespace nlc::controller::observe {

std::string_view name_of(Agreement agreement) {
  switch (agreement) {
    case Agreement::Agree:
      return "agree";
    case Agreement::OnlyOurs:
      return "only_ours";
    case Agreement::OnlyTheirs:
      return "only_theirs";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

std::string_view name_of(Cause cause) {
  switch (cause) {
    case Cause::Held:
      return "held";
    case Cause::AtTheDeadline:
      return "at_the_deadline";
    case Cause::QueueOrder:
      return "queue_order";
    case Cause::UpstreamDefect:
      return "upstream_defect";
    case Cause::PausedByOperator:
      return "paused_by_operator";
    case Cause::ObjectGone:
      return "object_gone";
    case Cause::Unexplained:
      return "unexplained";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

const Matcher::Open* Matcher::find(const ChangeKey& key) const {
  const auto found = open_.find(key);
  return found == open_.end() ? nullptr : &found->second;
}

void Matcher::agree(const Change& change, Instant ours, Instant theirs, Instant now) {
  found_.push_back(
      {.change = change, .agreement = Agreement::Agree, .ours = ours, .theirs = theirs, .at = now});
}

void Matcher::decided(const Change& change, Instant now) {
  const auto [known, is_new] =
      open_.try_emplace(key_of(change), Open{.change = change, .ours = now, .due = now});
  if (is_new || known->second.ours) return;
  agree(change, now, *known->second.theirs, now);
  open_.erase(known);
}

void Matcher::seen(const Change& change, Instant due, Instant now) {
  const auto known = open_.find(key_of(change));
  if (known != open_.end() && known->second.ours) {
    if (!known->second.told) agree(change, *known->second.ours, now, now);
    open_.erase(known);
  } else if (due <= now) {
    agree(change, now, now, now);
    if (known != open_.end()) open_.erase(known);
  } else if (places_left() == 0) {
    ++overlooked_;
  } else {
    open_.insert_or_assign(key_of(change), Open{.change = change, .theirs = now, .due = due});
  }
}

void Matcher::seen_alone(const Change& change, const Why& why, Instant now) {
  const auto known = open_.find(key_of(change));
  if (known != open_.end() && known->second.ours) return seen(change, now, now);
  if (known != open_.end()) open_.erase(known);
  found_.push_back(
      {.change = change, .agreement = Agreement::OnlyTheirs, .why = why, .theirs = now, .at = now});
}

void Matcher::came_due(const ChangeKey& key, Instant due, Instant now) {
  const auto known = open_.find(key);
  if (known == open_.end() || !known->second.theirs) return;
  agree(known->second.change, due, *known->second.theirs, now);
  open_.erase(known);
}

void Matcher::given_up(const ChangeKey& key, const Why& why, Instant now) {
  const auto known = open_.find(key);
  if (known == open_.end() || std::exchange(known->second.told, true)) return;
  const Open& open = known->second;
  found_.push_back({.change = open.change,
                    .agreement = open.ours ? Agreement::OnlyOurs : Agreement::OnlyTheirs,
                    .why = why,
                    .ours = open.ours,
                    .theirs = open.theirs,
                    .at = now});
}

void Matcher::dropped(const ChangeKey& key, const Why& why, Instant now) {
  given_up(key, why, now);
  open_.erase(key);
}

}  // namespace nlc::controller::observe

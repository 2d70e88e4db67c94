#include "controller/pause/policy_in_force.h"

#include <algorithm>
#include <cstdlib>

#include "api/version.h"

namespace nlc::controller {

std::string_view name_of(PolicyState state) {
  switch (state) {
    case PolicyState::Unread:
      return "unread";
    case PolicyState::Absent:
      return "absent";
    case PolicyState::Read:
      return "read";
    case PolicyState::Malformed:
      return "malformed";
    case PolicyState::Forbidden:
      return "forbidden";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

void PolicyInForce::stored(const api::ConfigMap& config) {
  // A watch that comes after what was read tells what has been overwritten since.
  if (api::older_version(config.resource_version, version_)) confirmed_.reset();
  shown_ = config.resource_version;
  take(config);
}

void PolicyInForce::removed() {
  shown_.clear();
  take_none();
}

void PolicyInForce::take(const api::ConfigMap& config) {
  there_ = changed_ = true;
  uid_ = config.uid;
  news_ |= std::exchange(version_, config.resource_version) != config.resource_version;
  ReadPolicy read = read_operator_policy(config.data, policy_);
  policy_ = std::move(read.policy);
  malformed_ = std::move(read.trouble);
  known_ = known_ || malformed_.empty();
}

void PolicyInForce::take_none() {
  there_ = false;
  news_ = true;
  uid_.clear();
  version_.clear();
  known_ = changed_ = true;
  policy_ = {};
  malformed_.clear();
}

void PolicyInForce::follow(const PolicyAccess& access, Instant now) {
  if (access.lists != access_.lists) {
    look_failed_.clear();
    const bool older = news_ && access.rewinds != access_.rewinds;
    if (older || shown_ != version_) {
      of_another_time_ = true;
      unsure_since_ = now;
      confirmed_.reset();
    }
    if (news_ && (of_another_time_ || !malformed_.empty())) skipped_words();
  }
  news_ = false;
  access_ = access;
  if (!looked_) looked_ = now;  // its first list is on its way
  if (holds_somebody()) keep_looking(now);
  if (!access.forbidden) forbidden_since_.reset();
  if (access.forbidden && !forbidden_since_) forbidden_since_ = now;
  const bool absent = access.lists > 0 && !there_ && !of_another_time_;
  const bool without =
      forbidden_since_ && now - *forbidden_since_ >= refusal_believed_after && !there_;
  if (known_ || (!absent && !without)) return;
  known_ = changed_ = true;
}

void PolicyInForce::stood_still(Instant now) {
  unsure_since_ = now;
  confirmed_.reset();
}

/// Or something of it is not known, so that it may.
bool PolicyInForce::holds_somebody() const {
  return !known_ || !policy_.pauses.empty() || !malformed_.empty() || !look_failed_.empty();
}

/// Text that cannot be read was found by a list or a quorum read: what was said before it nobody
/// has seen, and it may have been a pause, of which a mistake in writing is no end. Or a list was
/// older than what had been seen.
void PolicyInForce::skipped_words() {
  known_ = false;
  changed_ = true;
}

/// That there is none is an answer. So is that the right to read it is refused, when it has been
/// for a while: what follows from that, `follow` knows.
bool PolicyInForce::is_believed(Fault look, Instant now) const {
  if (look != Fault::Forbidden) return look == Fault::NotFound;
  const Instant since =
      std::min(looks_forbidden_since_.value_or(now), forbidden_since_.value_or(now));
  return now - since >= refusal_believed_after;
}

/// An answer that there is none has no version: it may be of before the ConfigMap was made. One
/// that is older than what was seen may be so, too, or the server went back in time. A list tells,
/// and what is read after it counts.
std::string_view PolicyInForce::contradiction_of(const Result<api::ConfigMap>& found,
                                                 bool settles) const {
  if (!there_) return {};
  const bool is_awaited = settles && of_another_time_;
  if (!found && found.error().fault == Fault::NotFound) {
    const bool agree = is_awaited && shown_.empty();
    return agree ? std::string_view() : "a quorum read finds none where its watch shows one";
  }
  const bool older = found && api::older_version(found->resource_version, version_);
  return older && !is_awaited ? "a quorum read finds an older one than its watch shows"
                              : std::string_view();
}

bool PolicyInForce::look_answered(const Result<api::ConfigMap>& found, Instant now) {
  const Instant asked = *std::exchange(asked_, std::nullopt);
  const bool forbidden = !found && found.error().fault == Fault::Forbidden;
  if (!forbidden) looks_forbidden_since_.reset();
  if (forbidden && !looks_forbidden_since_) looks_forbidden_since_ = asked;
  if (found && api::older_version(found->resource_version, version_when_asked_)) ++rewinds_;
  const bool settles = unsure_since_ && asked >= *unsure_since_;
  const std::string_view contradiction = contradiction_of(found, settles);
  if (!contradiction.empty() || (!found && !is_believed(found.error().fault, now))) {
    ask_after_ = now + std::chrono::seconds(1);
    look_failed_ = contradiction.empty() ? found.error().path : contradiction;
    if (!contradiction.empty()) confirmed_.reset();
    return !contradiction.empty();
  }
  return take_look(found, asked, settles);
}

/// What it found counts; answers as `look_answered`. `settles`: it was asked for after what is in
/// force had become unsure.
bool PolicyInForce::take_look(const Result<api::ConfigMap>& found, Instant asked, bool settles) {
  look_failed_.clear();
  const bool behind = found && found->resource_version != version_;
  if (behind) take(*found);
  const bool gone = !found && found.error().fault == Fault::NotFound;
  if (gone && there_) take_none();
  if (settles) unsure_since_.reset();
  if (!unsure_since_) confirmed_ = asked;
  wanted_ = false;
  const bool settled = settles && std::exchange(of_another_time_, false);
  if (settled) known_ = changed_ = true;
  if ((behind || settled) && !malformed_.empty()) skipped_words();
  return behind;
}

PolicyState PolicyInForce::state() const {
  if (!malformed_.empty()) return PolicyState::Malformed;
  if (access_.forbidden) return PolicyState::Forbidden;
  if (access_.lists == 0) return PolicyState::Unread;
  return there_ ? PolicyState::Read : PolicyState::Absent;
}

std::string PolicyInForce::trouble() const {
  const bool read = access_.lists > 0 || there_;
  switch (state()) {
    case PolicyState::Malformed:
      return malformed_ + (known_ ? "; what was last readable stays in force"
                                  : "; nobody is evicted before it can be read");
    case PolicyState::Forbidden:
      return access_.trouble + (read     ? "; what was last read stays in force"
                                : known_ ? "; it was never readable, and counts as absent"
                                         : "; nobody is evicted for as long as that is new");
    case PolicyState::Unread:
      return (access_.trouble.empty() ? "it has not been read yet" : access_.trouble) +
             (known_ ? "" : "; nobody is evicted before it is");
    case PolicyState::Absent:
    case PolicyState::Read:
      if (of_another_time_) {
        return "a list of it was older than what had been seen; nobody is evicted before it is "
               "read from the server itself";
      }
      if (!look_failed_.empty()) return look_failed_ + "; no pod goes before it can be read";
      return access_.trouble.empty() ? "" : access_.trouble + "; what was last read stays in force";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

}  // namespace nlc::controller

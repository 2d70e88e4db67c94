#include "election/migration_check.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace nlc::election {
namespace {

/// Neighbours share an object, so replicas may go from each to the next one by one.
constexpr std::array<LockKind, 5> way{LockKind::Endpoints, LockKind::EndpointsLeases,
                                      LockKind::Leases, LockKind::ConfigMapsLeases,
                                      LockKind::ConfigMaps};

/// The locks of one object that whoever contends by `kind` neither reads nor writes.
std::vector<LockKind> kinds_apart_from(LockKind kind) {
  switch (kind) {
    case LockKind::Leases:
      return {LockKind::Endpoints, LockKind::ConfigMaps};
    case LockKind::Endpoints:
      return {LockKind::Leases, LockKind::ConfigMaps};
    case LockKind::ConfigMaps:
      return {LockKind::Leases, LockKind::Endpoints};
    case LockKind::EndpointsLeases:
      return {LockKind::ConfigMaps};
    case LockKind::ConfigMapsLeases:
      return {LockKind::Endpoints};
  }
  std::abort();  // unreachable: the switch is exhaustive
}

/// The steps after `from`, `to` the last of them.
std::string steps_between(LockKind from, LockKind to) {
  const auto* at = std::ranges::find(way, from);
  const auto* const end = std::ranges::find(way, to);
  std::string steps;
  while (at != end) {
    at += at < end ? 1 : -1;
    if (!steps.empty()) steps += ", then to ";
    steps += name_of(*at);
  }
  return steps;
}

ElectionOptions with_lock(ElectionOptions options, LockKind kind) {
  options.lock = kind;
  return options;
}

}  // namespace

MigrationCheck::MigrationCheck(Env env, const ElectionOptions& options)
    : env_(env), options_(options) {
  for (const LockKind kind : kinds_apart_from(options_.lock)) {
    others_.push_back({.kind = kind,
                       .lock = std::make_unique<Lock>(Lock::Env{env_.transport, env_.clock},
                                                      with_lock(options_, kind))});
  }
}

void MigrationCheck::ask(const std::string& own_holder, Done done) {
  awaited_ = others_.size();
  for (Other& other : others_) {
    other.lock->read([this, &other, own_holder, done](Result<LockRecord> found) {
      other.reason = judge(other, std::move(found), own_holder);
      answered(done);
    });
  }
}

void MigrationCheck::drop() {
  for (Other& other : others_) other.lock->drop();
}

void MigrationCheck::answered(const Done& done) {
  if (--awaited_ > 0) return;
  was_answered_ = true;
  const auto found =
      std::ranges::find_if(others_, [](const Other& other) { return other.reason.has_value(); });
  const Done told = done;  // a copy: the call may ask anew
  told(found == others_.end() ? std::nullopt : found->reason);
}

std::optional<MigrationCheck::Reason> MigrationCheck::judge(Other& other, Result<LockRecord> found,
                                                            const std::string& own_holder) {
  if (!found) return judge_failure(other, found.error());
  if (is_given_back(*found)) other.seen.reset();
  if (found->holder.empty()) return until_it_ends(other);
  if (found->holder == own_holder) {
    other.seen = std::move(*found);
    other.since = Instant::min();
    return std::nullopt;
  }
  const bool known = other.seen.has_value();
  const bool still = known && !moved(*other.seen, *found);
  if (still && is_expired(other)) return std::nullopt;
  if (!still) {
    other.seen = std::move(*found);
    other.since = env_.clock.now();
  }
  if (known && !still) return Reason{"AnotherLock", refusal(other)};
  return Reason{"PerhapsAnotherLock", named(other) + " is held by " + other.seen->holder +
                                          ": waiting to see whether it is still renewed"};
}

std::optional<MigrationCheck::Reason> MigrationCheck::judge_failure(Other& other,
                                                                    const Error& error) {
  const bool unreadable = error.fault == Fault::Forbidden || error.fault == Fault::Malformed;
  if (!unreadable && error.fault != Fault::NotFound) {
    return Reason{std::string(name_of(error.fault)), error.path};
  }
  if (unreadable && !std::exchange(other.told_unreadable, true)) {
    env_.log.info("a lock of another kind could not be looked at",
                  {{"lock", std::string(name_of(other.kind))}, {"error", error.path}});
  }
  return until_it_ends(other);
}

/// Whoever erased or deleted it, or took the right to read it, did not end the leadership of who
/// held it.
std::optional<MigrationCheck::Reason> MigrationCheck::until_it_ends(Other& other) {
  if (other.seen && !is_expired(other)) {
    return Reason{"PerhapsAnotherLock", named(other) + " was held by " + other.seen->holder +
                                            ": waiting until its lease is over"};
  }
  other.seen.reset();
  return std::nullopt;
}

bool MigrationCheck::is_expired(const Other& other) const {
  return env_.clock.now() > other.since + lease_of(*other.seen, options_.lease_duration);
}

std::string MigrationCheck::named(const Other& other) const {
  return "the lock " + std::string(name_of(other.kind)) + " " + options_.lease_namespace + "/" +
         options_.lease_name;
}

std::string MigrationCheck::refusal(const Other& other) const {
  return named(other) + " is still renewed by " + other.seen->holder +
         ", and whoever uses it does not see " + std::string(name_of(options_.lock)) +
         ": there would be two leaders. Bring all replicas to the lock " +
         steps_between(other.kind, options_.lock) + ", each in a rolling update of its own";
}

}  // namespace nlc::election

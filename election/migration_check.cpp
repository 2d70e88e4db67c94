#include "election/migration_check.h"

#include <algorithm>
#include <utility>

namespace nlc::election {
namespace {

std::vector<LockKind> kinds_apart_from(LockKind kind) {
  switch (kind) {
    case LockKind::Leases:
      return {LockKind::Endpoints, LockKind::ConfigMaps};
    case LockKind::Endpoints:
    case LockKind::ConfigMaps:
      return {LockKind::Leases};
    case LockKind::EndpointsLeases:
    case LockKind::ConfigMapsLeases:
      break;
  }
  return {};
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
  asked_ = true;
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
  const auto found =
      std::ranges::find_if(others_, [](const Other& other) { return other.reason.has_value(); });
  const Done told = done;  // a copy: the call may ask anew
  told(found == others_.end() ? std::nullopt : found->reason);
}

std::optional<MigrationCheck::Reason> MigrationCheck::judge(Other& other, Result<LockRecord> found,
                                                            const std::string& own_holder) {
  if (!found) return judge_failure(other, found.error());
  if (found->holder.empty() || found->holder == own_holder) {
    other.seen.reset();
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
  other.seen.reset();
  if (unreadable && !std::exchange(other.told_unreadable, true)) {
    env_.log.info("an older lock could not be looked at",
                  {{"lock", std::string(name_of(other.kind))}, {"error", error.path}});
  }
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
  const bool to_leases = options_.lock == LockKind::Leases;
  const LockKind old = to_leases ? other.kind : options_.lock;
  const std::string pair(
      name_of(old == LockKind::Endpoints ? LockKind::EndpointsLeases : LockKind::ConfigMapsLeases));
  const std::string ours(name_of(options_.lock));
  return named(other) + " is still renewed by " + other.seen->holder +
         ", and whoever uses it does not see " + ours +
         ": there would be two leaders. Bring all replicas to the lock " + pair +
         " first, and then, in a second rolling update, to " + ours;
}

}  // namespace nlc::election

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

bool moved(const LockRecord& before, const LockRecord& now) {
  return before.holder != now.holder || before.renewed != now.renewed ||
         before.transitions != now.transitions;
}

}  // namespace

MigrationCheck::MigrationCheck(World world, const ElectionOptions& options, Done done)
    : world_(world),
      options_(options),
      done_(std::move(done)),
      own_({world_.transport, world_.clock}, options_, options_.renew_deadline / 3) {
  for (const LockKind kind : kinds_apart_from(options_.lock)) {
    others_.push_back(
        {.kind = kind,
         .lock = std::make_unique<Lock>(Lock::World{world_.transport, world_.clock},
                                        with_lock(options_, kind), options_.renew_deadline / 3)});
  }
  again_ = world_.executor.run_at(world_.clock.now(), [this] { look(); });
}

void MigrationCheck::look() {
  if (std::ranges::all_of(others_, &Other::dead)) {
    const Done done = done_;  // a copy: this may be destroyed by the call
    return done(std::nullopt);
  }
  own_.read([this](Result<LockRecord> found) {
    own_holder_ = found ? found->holder : "";
    if (!found && found.error().fault != Fault::NotFound) note_trouble(found.error());
    look_at(0);
  });
}

void MigrationCheck::look_at(std::size_t index) {
  if (index == others_.size()) {
    if (std::ranges::all_of(others_, &Other::dead)) return look();
    again_ = world_.executor.run_at(world_.clock.now() + options_.retry_period, [this] { look(); });
    return;
  }
  Other& other = others_[index];
  if (other.dead) return look_at(index + 1);
  other.lock->read([this, index](Result<LockRecord> found) {
    if (judge(others_[index], std::move(found))) return look_at(index + 1);
    const Done done = done_;
    const std::string refusal = words(others_[index]);
    done(refusal);
  });
}

/// False: it is alive, and not by a pair that holds our own lock as well.
bool MigrationCheck::judge(Other& other, Result<LockRecord> found) {
  if (!found) {
    const Fault fault = found.error().fault;
    const bool unreadable = fault == Fault::Forbidden || fault == Fault::Malformed;
    other.dead = unreadable || fault == Fault::NotFound;
    if (unreadable) {
      world_.log.info("an older lock could not be looked at",
                      {{"lock", std::string(name_of(other.kind))}, {"error", found.error().path}});
    } else if (!other.dead) {
      note_trouble(found.error());
    }
    return true;
  }
  if (found->holder.empty() || found->holder == own_holder_) {
    other.dead = true;
    return true;
  }
  if (other.first) {
    if (moved(*other.first, *found)) return false;
    other.dead = is_expired(other);
    return true;
  }
  other.first = std::move(*found);
  other.since = world_.clock.now();
  world_.log.warning("waiting to see whether a lock of another kind is still in use",
                     {{"lock", std::string(name_of(other.kind))}, {"holder", other.first->holder}});
  return true;
}

/// Nobody contends until it is over.
void MigrationCheck::note_trouble(const Error& error) {
  if (!told_.insert(error.path).second) return;
  world_.log.warning("election hindered", {{"lease", options_.lease_name}, {"error", error.path}});
}

bool MigrationCheck::is_expired(const Other& other) const {
  const Duration theirs = std::chrono::seconds(
      std::clamp<std::int64_t>(other.first->duration_seconds.value_or(0), 0, 3600));
  return world_.clock.now() > other.since + std::max(theirs, options_.lease_duration);
}

std::string MigrationCheck::words(const Other& other) const {
  const bool to_leases = options_.lock == LockKind::Leases;
  const LockKind old = to_leases ? other.kind : options_.lock;
  const std::string pair(
      name_of(old == LockKind::Endpoints ? LockKind::EndpointsLeases : LockKind::ConfigMapsLeases));
  return "the lock " + std::string(name_of(other.kind)) + " " + options_.lease_namespace + "/" +
         options_.lease_name + " is still renewed by " + other.first->holder +
         ", and whoever uses it does not see " + std::string(name_of(options_.lock)) +
         ": there would be two leaders. Bring all replicas to the lock " + pair +
         " first, and then, in a second rolling update, to " + std::string(name_of(options_.lock));
}

}  // namespace nlc::election

#include "election/lock.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <utility>

#include "client/refusal.h"

namespace nlc::election {
namespace {

using client::Lane;

Carrier primary_of(LockKind kind) {
  switch (kind) {
    case LockKind::Leases:
      return Carrier::Lease;
    case LockKind::Endpoints:
    case LockKind::EndpointsLeases:
      return Carrier::Endpoints;
    case LockKind::ConfigMaps:
    case LockKind::ConfigMapsLeases:
      return Carrier::ConfigMap;
  }
  std::abort();  // unreachable: the switch is exhaustive
}

bool is_paired(LockKind kind) {
  return kind == LockKind::EndpointsLeases || kind == LockKind::ConfigMapsLeases;
}

LockPlace place_of(const ElectionOptions& options, Carrier carrier) {
  return {.carrier = carrier,
          .namespace_ = options.lease_namespace,
          .name = options.lease_name,
          .labels = options.labels};
}

/// The versions of a pair as one, and each by itself again.
constexpr char between_versions = ',';

std::string first_version(const std::string& both) {
  return both.substr(0, both.find(between_versions));
}

}  // namespace

Lock::Lock(World world, const ElectionOptions& options, Duration limit)
    : world_(world),
      identity_(options.identity),
      limit_(limit),
      primary_{.place = place_of(options, primary_of(options.lock))} {
  if (is_paired(options.lock)) secondary_ = Part{.place = place_of(options, Carrier::Lease)};
}

void Lock::begin() {
  drop();
  wanted_ = std::make_shared<bool>(true);
  deadline_ = world_.clock.now() + limit_;
}

void Lock::drop() {
  if (wanted_) *wanted_ = false;
}

/// One request. What is answered is remembered, for the next PUT is made from it.
void Lock::ask(Part& part, Verb verb, const LockRecord& record, Done done) {
  client::Request request{.target = object_path(part.place),
                          .timeout = deadline_ - world_.clock.now(),
                          .lane = Lane::Election};
  if (verb != Verb::Read) {
    const bool creates = verb == Verb::Create;
    request.method = creates ? "POST" : "PUT";
    if (creates) request.target = collection_path(part.place);
    request.content_type = "application/json";
    request.body = encode_lock(part.place, record, creates ? std::nullopt : part.object);
  }
  client::Request name{.method = request.method, .target = request.target};
  world_.transport.send(
      std::move(request), [&part, name = std::move(name), wanted = wanted_,
                           done = std::move(done)](Result<client::Response> answer) {
        if (!*wanted) return;
        Result<client::Response> response = client::accepted(name, std::move(answer));
        if (!response) {
          if (response.error().fault == Fault::NotFound) part.object.reset();
          return done(std::move(response.error()));
        }
        Result<LockObject> object = decode_lock(part.place.carrier, response->body);
        if (!object) {
          return done(std::move(object.error()).while_doing(name.method + " " + name.target));
        }
        part.object = std::move(*object);
        done(part.object->record);
      });
}

void Lock::read(Done done) {
  begin();
  ask(primary_, Verb::Read, {}, [this, done = std::move(done)](Result<LockRecord> primary) {
    if (!primary || !secondary_) return done(std::move(primary));
    ask(*secondary_, Verb::Read, {},
        [this, done, primary = std::move(*primary)](Result<LockRecord> secondary) mutable {
          join(std::move(primary), std::move(secondary), done);
        });
  });
}

/// Half of a pair is enough to respect somebody else, but not to be leader by it.
void Lock::join(LockRecord primary, Result<LockRecord> secondary, const Done& done) const {
  if (secondary) return done(joined(primary, *secondary));
  const bool absent = secondary.error().fault == Fault::NotFound;
  if (!absent || primary.holder == identity_) return done(std::move(secondary.error()));
  done(std::move(primary));
}

LockRecord Lock::joined(const LockRecord& primary, const LockRecord& secondary) {
  LockRecord both = primary;
  if (primary.holder != secondary.holder) both.holder = unknown_holder;
  both.uid = primary.uid + between_versions + secondary.uid;
  both.version = primary.version + between_versions + secondary.version;
  return both;
}

void Lock::create(const LockRecord& record, Done done) {
  begin();
  ask(primary_, Verb::Create, record,
      [this, record, done = std::move(done)](Result<LockRecord> primary) {
        if (!secondary_) return done(std::move(primary));
        const bool existed = !primary && primary.error().fault == Fault::AlreadyExists;
        if (!primary && !existed) return done(std::move(primary));
        create_secondary(record, existed, done);
      });
}

/// A primary that was there already still says when it was last renewed, and who knows only the
/// primary counts from then: it is written as well, before anybody leads by the pair.
void Lock::create_secondary(const LockRecord& record, bool primary_existed, Done done) {
  ask(*secondary_, Verb::Create, record,
      [this, record, primary_existed, done = std::move(done)](Result<LockRecord> secondary) {
        if (!secondary) return done(std::move(secondary));
        const bool ours = primary_.object && primary_.object->record.holder == identity_;
        if (!primary_existed) return hand_over(done);
        if (!ours) return done(Error{Fault::Conflict, "the other half of the pair is not ours"});
        LockRecord again = record;
        again.version = primary_.object->record.version;
        ask(primary_, Verb::Write, again, [this, done](Result<LockRecord> primary) {
          if (!primary) return done(std::move(primary));
          hand_over(done);
        });
      });
}

void Lock::write(const LockRecord& record, Done done) {
  assert(primary_.object);
  begin();
  LockRecord first = record;
  first.version = first_version(record.version);
  ask(primary_, Verb::Write, first,
      [this, record, done = std::move(done)](Result<LockRecord> primary) {
        if (!primary || !secondary_) return done(std::move(primary));
        write_secondary(record, done);
      });
}

/// Read before it is written: who knows only the secondary may have taken it meanwhile, and is not
/// to be overwritten.
void Lock::write_secondary(const LockRecord& record, Done done) {
  const std::string known = secondary_->object ? secondary_->object->record.version : "";
  ask(*secondary_, Verb::Read, {},
      [this, record, known, done = std::move(done)](Result<LockRecord> found) {
        const bool absent = !found && found.error().fault == Fault::NotFound;
        if (!found && !absent) return done(std::move(found));
        if (found && found->version != known && !found->holder.empty() &&
            found->holder != identity_) {
          return done(
              Error{Fault::Conflict, "the other half of the pair went to " + found->holder});
        }
        LockRecord second = record;
        if (found) second.version = found->version;
        ask(*secondary_, absent ? Verb::Create : Verb::Write, second,
            [this, done](Result<LockRecord> secondary) {
              if (!secondary) return done(std::move(secondary));
              hand_over(done);
            });
      });
}

/// The whole lock as it is now remembered.
void Lock::hand_over(const Done& done) const {
  done(joined(primary_.object->record, secondary_->object->record));
}

std::vector<LockPlace> Lock::places() const {
  std::vector<LockPlace> all{primary_.place};
  if (secondary_) all.push_back(secondary_->place);
  return all;
}

std::string Lock::version_of(std::size_t index) const {
  const Part& part = index == 0 ? primary_ : *secondary_;
  return part.object ? part.object->record.version : std::string();
}

std::vector<client::EventSubject> Lock::subjects() const {
  std::vector<client::EventSubject> all;
  const auto add = [&all](const Part& part) {
    all.push_back({.kind = std::string(kind_of(part.place.carrier)),
                   .namespace_ = part.place.namespace_,
                   .name = part.place.name,
                   .uid = part.object ? part.object->record.uid : "",
                   .api_version = std::string(api_version_of(part.place.carrier))});
  };
  add(primary_);
  if (secondary_) add(*secondary_);
  return all;
}

void Lock::note(const LockPlace& place, const LockObject& object) {
  Part& part = place.carrier == primary_.place.carrier ? primary_ : *secondary_;
  const bool newer = part.object && is_older(part.object->record.version, object.record.version);
  if (newer) part.object = object;
}

}  // namespace nlc::election

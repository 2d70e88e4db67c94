#include "election/lock/lock.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <utility>

#include "api/version.h"
#include "client/refusal.h"

namespace nlc::election {
namespace {

using client::RequestPriority;

/// So many versions of an object that the server has lost are remembered.
constexpr std::size_t lost_max = 8;

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

}  // namespace

Lock::Lock(Env env, const ElectionOptions& options)
    : env_(env),
      limit_(options.try_limit()),
      primary_{.place = place_of(options, primary_of(options.lock))} {
  if (is_paired(options.lock)) secondary_ = Part{.place = place_of(options, Carrier::Lease)};
}

void Lock::begin() {
  drop();
  deadline_ = env_.clock.now() + limit_;
}

client::Request Lock::request_for(const Part& part, Verb verb, const LockRecord& record) const {
  client::Request request{.target = object_path(part.place),
                          .timeout = deadline_ - env_.clock.now(),
                          .priority = RequestPriority::Election};
  if (verb == Verb::Read) return request;
  const bool creates = verb == Verb::Create;
  request.method = creates ? "POST" : "PUT";
  if (creates) request.target = collection_path(part.place);
  request.content_type = "application/json";
  request.body = encode_lock(part.place, record, creates ? std::nullopt : part.object);
  return request;
}

/// One request. What is answered is remembered, for the next PUT is made from it.
void Lock::ask(Part& part, Verb verb, const LockRecord& record, Done done) {
  client::Request request = request_for(part, verb, record);
  client::Request name{.method = request.method, .target = request.target};
  std::string known = part.object ? part.object->record.version : std::string();
  env_.transport.send(
      std::move(request),
      callbacks_.guard([&part, name = std::move(name), known = std::move(known),
                        done = std::move(done)](Result<client::Response> answer) {
        done(taken_in(part, client::accepted(name, std::move(answer)), name, known));
      }));
}

/// `name`: the request without its body. `known`: the version when it was sent.
Result<LockRecord> Lock::taken_in(Part& part, Result<client::Response> response,
                                  const client::Request& name, const std::string& known) {
  if (!response) {
    if (response.error().fault == Fault::NotFound) {
      lose(part, known);
      part.object.reset();
    }
    return std::move(response.error());
  }
  Result<LockObject> object = decode_lock(part.place.carrier, response->body);
  if (!object) return std::move(object.error()).while_doing(name.method + " " + name.target);
  LockRecord answered = object->record;
  remember(part, std::move(*object), known);
  return answered;
}

/// Keeps what a watch showed meanwhile if that is newer than the answer; but an answer older than
/// what was known when it was asked for shows that the server went back in time, and counts.
void Lock::remember(Part& part, LockObject answered, const std::string& known_when_asked) {
  const std::string& version = answered.record.version;
  if (api::older_version(version, known_when_asked)) lose(part, known_when_asked);
  const bool late = part.object && api::older_version(version, part.object->record.version) &&
                    !api::older_version(version, known_when_asked);
  if (!late) part.object = std::move(answered);
}

void Lock::lose(Part& part, const std::string& version) {
  if (version.empty() || std::ranges::count(part.lost, version) > 0) return;
  part.lost.push_back(version);
  if (part.lost.size() > lost_max) part.lost.pop_front();
}

void Lock::read(Done done) {
  begin();
  ask(primary_, Verb::Read, {}, [this, done = std::move(done)](Result<LockRecord> primary) {
    if (!primary || !secondary_) return done(std::move(primary));
    ask(*secondary_, Verb::Read, {},
        [done, primary = std::move(*primary)](Result<LockRecord> secondary) mutable {
          join(std::move(primary), std::move(secondary), done);
        });
  });
}

/// Where only the primary exists its record is passed on alone: enough to see who holds it, and
/// told from a whole pair by its uid, which is not a joined one.
void Lock::join(LockRecord primary, Result<LockRecord> secondary, const Done& done) {
  if (secondary) return done(joined(primary, *secondary));
  const bool absent = secondary.error().fault == Fault::NotFound;
  if (!absent) return done(std::move(secondary.error()));
  done(std::move(primary));
}

/// Either of two holders may lead, so the longer lease counts.
LockRecord Lock::joined(const LockRecord& primary, const LockRecord& secondary) {
  LockRecord both = primary;
  if (primary.holder != secondary.holder) {
    const auto lease_of_who_holds = [](const LockRecord& half) {
      return half.holder.empty() ? std::nullopt : half.duration_seconds;
    };
    both.holder = unknown_holder;
    both.duration_seconds = std::max(lease_of_who_holds(primary), lease_of_who_holds(secondary));
  }
  both.uid = joined_versions(primary.uid, secondary.uid);
  both.version = joined_versions(primary.version, secondary.version);
  return both;
}

void Lock::create(const LockRecord& record, Done done) {
  begin();
  ask(primary_, Verb::Create, record,
      [this, record, done = std::move(done)](Result<LockRecord> primary) {
        if (!primary || !secondary_) return done(std::move(primary));
        end_with(Verb::Create, record, done);
      });
}

void Lock::write(const LockRecord& record, Done done) {
  assert(primary_.object);
  begin();
  LockRecord first = record;
  first.version = std::string(first_of_joined(record.version));
  ask(primary_, Verb::Write, first,
      [this, record, done = std::move(done)](Result<LockRecord> primary) {
        if (!primary || !secondary_) return done(std::move(primary));
        write_secondary(record, done);
      });
}

/// The secondary is read before it is written, so that a candidate that knows only its kind of lock
/// and took it meanwhile is not overwritten. One that is older than was known is told and not
/// written: the server went back, which a write would cover up.
void Lock::write_secondary(const LockRecord& record, Done done) {
  const std::string known = secondary_->object ? secondary_->object->record.version : "";
  ask(*secondary_, Verb::Read, {},
      [this, record, known, done = std::move(done)](Result<LockRecord> found) {
        const bool absent = !found && found.error().fault == Fault::NotFound;
        if (!found && !absent) return done(std::move(found));
        if (found && api::older_version(found->version, known)) {
          return done(joined(primary_.object->record, *found));
        }
        const bool is_as_read = found && found->version == second_of_joined(record.version);
        if (found && !is_as_read && !found->holder.empty() &&
            !is_of_one_leadership(*found, record)) {
          return done(
              Error{Fault::Conflict, "the other half of the pair went to " + found->holder});
        }
        LockRecord second = record;
        if (found) second.version = found->version;
        end_with(absent ? Verb::Create : Verb::Write, second, done);
      });
}

/// That write of the secondary is the last; then the whole lock is told as it is remembered.
void Lock::end_with(Verb verb, const LockRecord& record, Done done) {
  ask(*secondary_, verb, record, [this, done = std::move(done)](Result<LockRecord> secondary) {
    if (!secondary) return done(std::move(secondary));
    done(joined(primary_.object->record, secondary_->object->record));
  });
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

std::string Lock::lease_version() const {
  if (primary_.place.carrier == Carrier::Lease) return version_of(0);
  return secondary_ ? version_of(1) : std::string();
}

std::string Lock::pair_version_with(const LockPlace& place, const LockRecord& seen) const {
  return is_primary(place) ? joined_versions(seen.version, version_of(1))
                           : joined_versions(version_of(0), seen.version);
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

bool Lock::is_news(const LockPlace& place, const LockChange& change) const {
  const Part& part = is_primary(place) ? primary_ : *secondary_;
  const std::string& shown = change.object.record.version;
  if (std::ranges::count(part.lost, shown) > 0) return false;
  if (!part.object) return true;
  const std::string& known = part.object->record.version;
  return shown != known && !api::older_version(shown, known);
}

void Lock::note(const LockPlace& place, const LockChange& change) {
  Part& part = is_primary(place) ? primary_ : *secondary_;
  if (part.object && !change.gone && is_news(place, change)) part.object = change.object;
}

}  // namespace nlc::election

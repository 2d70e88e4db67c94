#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "api/lease.h"
#include "election/lock/lock_object.h"
#include "readers.h"
#include "rule.h"

namespace nlc::bytes {
namespace {

/// No server of Kubernetes says a key twice; of one that does, each library believes another.
bool says_a_key_twice(std::string_view text) {
  std::vector<std::set<std::string>> open;
  bool twice = false;
  const auto look = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key) twice = twice || !open.back().insert(value).second;
    return true;
  };
  [[maybe_unused]] const auto parsed = nlohmann::json::parse(text, look, false);
  return twice;
}

using election::Carrier;
using election::LockRecord;

bool is_in_annotation(Carrier carrier) { return carrier != Carrier::Lease; }

std::optional<WallTime> as_written(const std::optional<WallTime>& time, Carrier carrier) {
  if (!time || !is_in_annotation(carrier)) return time;
  return std::chrono::floor<std::chrono::seconds>(*time);
}

void check_lock(const election::LockPlace& place, std::string_view bytes) {
  (void)election::decode_lock_change(place, bytes);
  if (says_a_key_twice(bytes)) return;
  const Result<election::LockObject> lock = election::decode_lock(place.carrier, bytes);
  if (!lock) return;
  const LockRecord& record = lock->record;
  const Result<election::LockObject> again = election::decode_lock(
      place.carrier, election::encode_lock(place, record, std::optional(*lock)));
  must_hold(static_cast<bool>(again), "a lock that is written can be read");
  const LockRecord& back = again->record;
  must_hold(back.holder == record.holder && back.transitions == record.transitions &&
                back.duration_seconds.value_or(0) == record.duration_seconds.value_or(0) &&
                back.acquired == as_written(record.acquired, place.carrier) &&
                back.renewed == as_written(record.renewed, place.carrier) &&
                back.strategy == record.strategy &&
                back.preferred_holder == record.preferred_holder,
            "a lock says after a write what was written");
  must_hold(back.uid == record.uid && back.version == record.version,
            "a write is of the lock that was read");
}

void check_lease(const std::string& body) {
  if (says_a_key_twice(body)) return;
  const Result<api::Lease> lease = api::decode_lease(body);
  if (!lease) return;
  const Result<api::Lease> back = api::decode_lease(api::encode_lease(*lease));
  must_hold(static_cast<bool>(back), "a Lease that is written can be read");
  must_hold(back->holder == lease->holder && back->renewed == lease->renewed &&
                back->duration_seconds == lease->duration_seconds && back->name == lease->name &&
                back->resource_version == lease->resource_version,
            "a Lease says after a write what was written");
  must_hold(back->foreign_metadata == lease->foreign_metadata,
            "what others put on a Lease is written as it was read");
}

}  // namespace

/// Who leads, in each object that can say so, and the lines of a watch of it.
void read_lock_record(std::string_view bytes) {
  for (const Carrier carrier : {Carrier::Lease, Carrier::Endpoints, Carrier::ConfigMap}) {
    check_lock({.carrier = carrier, .namespace_ = "kube-system", .name = "l"}, bytes);
  }
  check_lease(std::string(bytes));
}

}  // namespace nlc::bytes

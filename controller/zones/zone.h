#pragma once

#include <string>

#include "api/objects.h"
#include "controller/options/policy.h"

namespace nlc::controller {

/// Region and zone of a node as one key: empty without any label, else region, ":", a NUL byte,
/// ":", zone (spec/zones.md "Zone key"; the NUL is part of the key and of the metric label).
std::string zone_key(const api::Node& node);

/// A zone's key as people write it: "REGION/ZONE"; "-" is what nodes do not say, alone for both.
std::string zone_name(const std::string& key);
/// Such a name, or half of one, as it was asked for, spelled like that: "/a" and "-/a" are "-/a".
std::string spelled_zone(const std::string& name);

/// Whether a node is left out of its zone's count (spec/zones.md "Excluded nodes").
bool excluded_from_disruption(const api::Node& node);

enum class ZoneState { Initial, Normal, PartialDisruption, FullDisruption };

std::string_view name_of(ZoneState state);

struct ZoneCount {
  int ready = 0;
  int not_ready = 0;  ///< False, Unknown, or never reported
  int size() const { return ready + not_ready; }
};

/// spec/zones.md "Zone state"; the share is compared in single precision, as users have tuned their
/// thresholds for.
ZoneState zone_state(const ZoneCount& count, const Policy& policy);

/// Evictions per second in a zone of that state (spec/zones.md "Eviction rate"), while not all
/// zones are fully disrupted.
double zone_rate(ZoneState state, const ZoneCount& count, const Policy& policy);

}  // namespace nlc::controller

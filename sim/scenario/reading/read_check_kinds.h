#pragma once

#include <map>
#include <span>
#include <string>

#include "sim/scenario/model/checks.h"
#include "sim/scenario/reading/fields.h"

/// The kinds of checks, each with its reader, and what several of them have in common.
namespace nlc::sim::scenario {

struct CheckKind {
  const char* key;
  void (*read)(Fields&, Check&);
};

/// What one object should be like.
std::span<const CheckKind> object_checks();
/// What happened how often.
std::span<const CheckKind> count_checks();

/// The controller's key of the zone that `region` and `zone` name (spec/zones.md "Zone key").
std::string zone_key(const std::string& region, const std::string& zone);
std::string zone_in(Fields& fields);
std::map<std::string, std::string> labels_of(const Yaml& node);

}  // namespace nlc::sim::scenario

#pragma once

#include <nlohmann/json.hpp>

#include "yaml/value.h"

namespace nlc::yaml {

/// As sigs.k8s.io/yaml takes it, by the rules of YAML 1.1: plain true, yes, on, null, 1, 0x1f, 017
/// (an octal number) and 1e3 are what they look like; timestamps, numbers that JSON does not know,
/// and everything quoted are text. So are y and n, which are booleans there: they are names here.
nlohmann::json json_of(const Value& value);

}  // namespace nlc::yaml

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/apiserver/registry/patch.h"
#include "sim/apiserver/types/resource.h"
#include "sim/apiserver/types/status_error.h"

namespace nlc::sim {

/// What is done about fields that a kind does not have.
enum class FieldValidation : std::uint8_t { Ignore, Warn, Strict };

struct Patch {
  const nlohmann::json& body;
  PatchType type;
  FieldValidation validation;
  std::vector<std::string>& complaints;  ///< takes what a strict decoder refuses
};

/// What `patch` makes of `before` (an empty object: there is none), where that can be read as one
/// of its kind. A patch is applied to what a reader of the object sees, kind and version included.
Outcome<nlohmann::json> patched_object(const Resource& resource, const nlohmann::json& before,
                                       const Patch& patch);

}  // namespace nlc::sim

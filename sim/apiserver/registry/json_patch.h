#pragma once

#include <nlohmann/json.hpp>

#include "sim/apiserver/types/status_error.h"

namespace nlc::sim {

/// What a JSON patch, which is a list, makes of an object: by the rules of the Go library that the
/// real server applies it with, which differ from RFC 6902. A replacement of what an object does
/// not have is an addition, what it does not have is null, and an index below zero counts from the
/// end of its list.
///
/// 422 where an operation finds neither an object nor a list to act on, and where copies grow
/// beyond what a server can hold; 413 for more operations than one takes.
Outcome<nlohmann::json> json_patched(nlohmann::json object, const nlohmann::json& patch);

}  // namespace nlc::sim

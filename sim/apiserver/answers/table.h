#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "runtime/time.h"
#include "sim/apiserver/registry/selectors.h"

/// The columns in which the server prints each kind, and their cells (recorded *-table.json).
namespace nlc::sim {

/// JSON text of the column definitions.
std::string_view column_definitions(const Resource& resource);

/// The cells of one row, in the order of the columns.
nlohmann::json cells_of(const Resource& resource, const ObjectView& object, WallTime now);

/// As kubectl shows spans of time: "45s", "3m12s", "12m", "5h30m", "2d3h", "400d".
std::string short_span(std::chrono::seconds span);

}  // namespace nlc::sim

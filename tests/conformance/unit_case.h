#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace nlc::conformance {

/// One entry of a file's `unit` section: what goes into one component, and what should come out.
struct UnitCase {
  std::string id;
  std::string area;
  std::string component;
  std::string title;
  nlohmann::json input;
  nlohmann::json output;
};

/// A unit case that does not hold as it is written, on purpose: an entry of the `unit` section of
/// deviations.yaml.
struct UnitDeviation {
  std::string id;
  std::string reason;                    ///< its name
  std::string instead;                   ///< what stands in its component's place, if none of ours
  std::optional<nlohmann::json> output;  ///< what that says
};

/// The `unit` section of a file; throws where it cannot be understood.
std::vector<UnitCase> read_units(const std::string& path);
std::vector<UnitDeviation> read_unit_deviations(const std::string& path);

}  // namespace nlc::conformance

#include "controller/rules/labels.h"

#include <array>
#include <utility>

namespace nlc::controller {

api::Labels missing_labels(const api::Node& node) {
  constexpr std::array mirrors{std::pair{api::label::os, api::label::os_beta},
                               std::pair{api::label::arch, api::label::arch_beta}};
  api::Labels missing;
  for (const auto& [stable, mirror] : mirrors) {
    const std::string* wanted = node.label(stable);
    if (wanted == nullptr) continue;
    const std::string* present = node.label(mirror);
    if (present == nullptr || *present != *wanted) missing.emplace_back(mirror, *wanted);
  }
  return missing;
}

}  // namespace nlc::controller

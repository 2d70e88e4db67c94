#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nlc::sim {

/// A resource quantity as Kubernetes writes it: "1000m" is "1", "1024Mi" is "1Gi", "0.5" is "500m".
/// Nothing when the text is no quantity. Numbers beyond 18 digits stay as they are.
std::optional<std::string> canonical_quantity(std::string_view text);

}  // namespace nlc::sim

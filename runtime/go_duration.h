#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/time.h"

namespace nlc {

/// Reads a duration in the syntax that every Kubernetes flag uses: "40s", "1m30s", "1.5h", "-5ms",
/// "0". Units: ns, us (also µs), ms, s, m, h. Nothing when the text is no duration or does not fit.
std::optional<Duration> parse_go_duration(std::string_view text);

/// Writes a duration as that syntax would print it: "1m30s", "1.5s", "250ms", "0s".
std::string go_duration(Duration duration);

}  // namespace nlc

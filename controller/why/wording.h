#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/time.h"

/// Private to this folder and `live`: times, numbers and names as answers say them.
namespace nlc::controller::why {

/// As flags have it, the longest time that is told in hours.
inline constexpr Duration ten_years = std::chrono::hours(87'600);
/// "1m12s", "3.2s", "ten years or more": exact enough to be read.
std::string in_words(Duration duration);
/// "1 pod", "2 pods".
std::string counted(std::size_t count, const std::string& one);
/// "0.1 nodes/s".
std::string rate_in_words(double nodes_per_second);
/// What the history calls by `object`, as people write it.
std::string shown(const std::string& object);
/// Behind what comes at its time, if nothing that holds it now goes on until then.
inline constexpr std::string_view unless_held = ", unless that is held then";

/// Those of all names that are most like `name`, the best first. `each` calls its argument with
/// every name.
std::vector<std::string> near_names(
    std::string_view name,
    const std::function<void(const std::function<void(std::string_view)>&)>& each);

}  // namespace nlc::controller::why

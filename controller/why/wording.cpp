#include "controller/why/wording.h"

#include <absl/strings/str_cat.h>
#include <algorithm>

#include "controller/reports/history.h"
#include "controller/zones/zone.h"
#include "runtime/go_duration.h"

namespace nlc::controller::why {
namespace {

constexpr std::size_t near_max = 3;

/// How much of two names is alike at both ends, as a share of the longer one.
double likeness(std::string_view left, std::string_view right) {
  const std::size_t shorter = std::min(left.size(), right.size());
  std::size_t head = 0;
  while (head < shorter && left[head] == right[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && left[left.size() - 1 - tail] == right[right.size() - 1 - tail]) {
    ++tail;
  }
  const std::size_t longer = std::max(left.size(), right.size());
  return longer == 0 ? 0 : static_cast<double>(head + tail) / static_cast<double>(longer);
}

}  // namespace

std::string in_words(Duration duration) {
  using namespace std::chrono_literals;
  // Pods may tolerate a taint for any number of seconds, which nobody waits for.
  if (duration >= ten_years) return "ten years or more";
  if (duration < 10s)
    return go_duration(std::chrono::round<std::chrono::duration<int64_t, std::deci>>(duration));
  return go_duration(std::chrono::round<std::chrono::seconds>(duration));
}

std::string counted(std::size_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string rate_in_words(double nodes_per_second) {
  return absl::StrCat(nodes_per_second, " nodes/s");
}

std::string shown(const std::string& object) {
  const std::string zone = History::of_zone({});
  return object.starts_with(zone) ? zone + zone_name(object.substr(zone.size())) : object;
}

std::vector<std::string> near_names(
    std::string_view name,
    const std::function<void(const std::function<void(std::string_view)>&)>& each) {
  std::vector<std::pair<double, std::string>> best;
  each([&](std::string_view other) {
    const double share = likeness(name, other);
    if (share < 0.5 || (best.size() == near_max && share <= best.back().first)) return;
    const auto place =
        std::ranges::find_if(best, [share](const auto& known) { return known.first < share; });
    best.emplace(place, share, std::string(other));
    if (best.size() > near_max) best.pop_back();
  });
  std::vector<std::string> names;
  for (auto& [share, found] : best) names.push_back(std::move(found));
  return names;
}

}  // namespace nlc::controller::why

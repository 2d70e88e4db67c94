#include "sim/scenario/model/releases.h"

#include <charconv>
#include <optional>

namespace nlc::sim::scenario {
namespace {

constexpr int our_minor = 34;

/// The minor version at the front of "1.23 …".
std::optional<int> minor_in(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  if (!text.starts_with("1.")) return std::nullopt;
  int minor = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), minor);
  if (error != std::errc{}) return std::nullopt;
  return minor;
}

/// Rules hold from a release on: ours are those of 1.34 and whatever came after.
bool concerns_us_alone(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  const auto after = [&](std::size_t length) { return minor_in(text.substr(length)); };
  if (text.starts_with(">=")) return after(2).value_or(0) <= our_minor;
  if (text.starts_with("<=")) return after(2).value_or(our_minor) >= our_minor;
  if (text.starts_with("<")) return after(1).value_or(our_minor + 1) > our_minor;
  if (text.starts_with(">")) return after(1).value_or(0) < our_minor;
  const std::optional<int> first = minor_in(text);
  if (!first) return true;
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return *first == our_minor;
  return *first <= our_minor && minor_in(text.substr(dots + 2)).value_or(our_minor) >= our_minor;
}

}  // namespace

std::optional<Releases> read_releases(std::string_view text) {
  if (text == "all") return all_releases;
  const bool from = text.starts_with(">=");
  const bool until = text.starts_with("<=");
  if (from || until) text.remove_prefix(2);
  const std::size_t dots = text.find("..");
  const bool range = dots != std::string_view::npos;
  const std::optional<int> first = minor_in(text.substr(0, dots));
  const std::optional<int> last = range ? minor_in(text.substr(dots + 2)) : first;
  if (!first || !last || from + until + range != 1) return std::nullopt;
  return Releases{.first = until ? all_releases.first : *first,
                  .last = from ? all_releases.last : *last};
}

bool concerns_us(std::string_view releases) {
  releases = releases.substr(0, releases.find('('));
  while (!releases.empty()) {
    const std::size_t comma = releases.find(',');
    if (concerns_us_alone(releases.substr(0, comma))) return true;
    if (comma == std::string_view::npos) return false;
    releases.remove_prefix(comma + 1);
  }
  return true;
}

}  // namespace nlc::sim::scenario

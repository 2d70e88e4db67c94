#include "bench/exposition.h"

#include <charconv>

namespace nlc::bench {

std::optional<double> sample(std::string_view exposition, std::string_view series) {
  while (!exposition.empty()) {
    const std::size_t end = exposition.find('\n');
    std::string_view line = exposition.substr(0, end);
    exposition.remove_prefix(end == std::string_view::npos ? exposition.size() : end + 1);
    if (!line.starts_with(series) || !line.substr(series.size()).starts_with(' ')) continue;
    line.remove_prefix(series.size() + 1);
    double value = 0;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error == std::errc{}) return value;
  }
  return std::nullopt;
}

}  // namespace nlc::bench

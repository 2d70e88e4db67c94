#include "sim/fuzz/day_name.h"

#include "runtime/parse_number.h"
#include "sim/fuzz/draw.h"

namespace nlc::sim::fuzz {

std::string day_name(std::uint64_t seed) {
  return "v" + std::to_string(draw_version) + ":" + std::to_string(seed);
}

Result<std::uint64_t> day_named(const std::string& name) {
  const std::size_t colon = name.starts_with('v') ? name.find(':') : std::string::npos;
  const bool versioned = colon != std::string::npos;
  const auto version =
      versioned ? parse_number<unsigned>(name.substr(1, colon - 1)) : std::optional(draw_version);
  const auto seed = parse_number<std::uint64_t>(versioned ? name.substr(colon + 1) : name);
  if (!version || !seed) {
    return bad_input("must be a whole number from 0 to 18446744073709551615, alone or as in " +
                     day_name(4711));
  }
  if (*version != draw_version) {
    return bad_input("must be of v" + std::to_string(draw_version) +
                     ", as this program draws days: there it is another one");
  }
  return *seed;
}

}  // namespace nlc::sim::fuzz

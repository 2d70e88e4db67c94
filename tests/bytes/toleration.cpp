#include <array>

#include "controller/rules/tolerations.h"
#include "readers.h"
#include "rule.h"

namespace nlc::bytes {

/// A taint and a toleration, line by line: key, value and effect of the one, then key, operator,
/// value and effect of the other.
void read_toleration(std::string_view bytes) {
  std::array<std::string, 7> lines;
  for (std::string& line : lines) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  using controller::Comparisons;
  using controller::tolerates;
  const api::Taint taint{.key = lines[0], .value = lines[1], .effect = lines[2]};
  const api::Toleration given{
      .key = lines[3], .operator_ = lines[4], .value = lines[5], .effect = lines[6]};
  must_hold(!tolerates(given, taint, Comparisons::Off) || tolerates(given, taint, Comparisons::On),
            "what is tolerated without comparisons is tolerated with them");
  api::Toleration less{.key = taint.key, .operator_ = "Lt", .value = given.value, .effect = {}};
  api::Toleration greater = less;
  greater.operator_ = "Gt";
  must_hold(!tolerates(less, taint, Comparisons::On) || !tolerates(greater, taint, Comparisons::On),
            "nothing is less and greater");
  must_hold(tolerates({.key = {}, .operator_ = "Exists"}, taint), "Exists alone tolerates all");
}

}  // namespace nlc::bytes

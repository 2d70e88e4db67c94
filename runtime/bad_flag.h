#pragma once

#include <string>
#include <string_view>

namespace nlc {

/// A value that a flag cannot have. Thrown while the command line is read, and caught there: the
/// line is all that the operator is told.
struct BadFlag {
  std::string line;
};

[[noreturn]] inline void refuse_flag(std::string_view flag, const std::string& value,
                                     std::string_view allowed) {
  throw BadFlag{"invalid value \"" + value + "\" for " + std::string(flag) + ": " +
                std::string(allowed)};
}

}  // namespace nlc

#pragma once

#include <stdexcept>
#include <string>

namespace nlc::bytes {

/// A rule that some bytes broke. Nobody catches it: a test fails by it, and a fuzz target ends.
struct BrokenRule : std::logic_error {
  using std::logic_error::logic_error;
};

inline void must_hold(bool holds, const std::string& rule) {
  if (!holds) throw BrokenRule(rule);
}

}  // namespace nlc::bytes

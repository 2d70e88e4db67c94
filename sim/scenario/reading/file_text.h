#pragma once

#include <string>

#include "runtime/result.h"

namespace nlc::sim::scenario {

/// What a file for these readers says. What is no file, or ends no time soon, is refused; the error
/// is a line that names it.
Result<std::string> text_of_file(const std::string& path);

}  // namespace nlc::sim::scenario

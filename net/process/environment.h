#pragma once

#include <functional>
#include <string>

namespace nlc::net {

/// Value of an environment variable, empty when it is not set. A parameter, so that tests bring
/// their own.
using Environment = std::function<std::string(const std::string& name)>;

Environment process_environment();

}  // namespace nlc::net

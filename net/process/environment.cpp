#include "net/process/environment.h"

#include <cstdlib>

namespace nlc::net {

Environment process_environment() {
  return [](const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? std::string() : std::string(value);
  };
}

}  // namespace nlc::net

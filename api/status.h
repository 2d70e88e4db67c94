#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/time.h"

namespace nlc::api {

/// The answer of a server that refuses: metav1.Status.
struct StatusCause {
  std::string reason;
  std::string message;
  std::string field;  ///< "metadata.uid"; empty when it is about no single field
};

struct Status {
  int code = 0;
  std::string reason;
  std::string message;
  std::vector<StatusCause> causes;
  std::optional<Duration> retry_after;  ///< at most an hour, whatever the server says
};

}  // namespace nlc::api

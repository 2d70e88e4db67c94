#include "readers.h"
#include "rule.h"
#include "runtime/go_duration.h"

namespace nlc::bytes {

/// A duration, as flags, scenario files and the operator's ConfigMap have it.
void read_duration(std::string_view bytes) {
  const std::optional<Duration> read = parse_go_duration(bytes);
  if (!read) return;
  const std::string written = go_duration(*read);
  must_hold(parse_go_duration(written) == read, "a duration that is written reads the same");
  must_hold(go_duration(*parse_go_duration(written)) == written, "and is written the same");
}

}  // namespace nlc::bytes

#include "net/http/http_date.h"
#include "readers.h"
#include "rule.h"
#include "runtime/time.h"

namespace nlc::bytes {

/// A time, as objects, annotations and headers have it; and how long a server lets us wait.
void read_timestamp(std::string_view bytes) {
  if (const std::optional<WallTime> read = parse_rfc3339(bytes)) {
    must_hold(parse_rfc3339(rfc3339_micro(*read)) == read, "a time that is written reads the same");
    const auto second = std::chrono::floor<std::chrono::seconds>(*read);
    must_hold(parse_rfc3339(rfc3339(*read)) == second,
              "a time that is written in whole seconds reads as its second");
  }
  if (const std::optional<WallTime> read = net::parse_http_date(bytes)) {
    must_hold(net::parse_http_date(net::http_date(*read)) == read,
              "a header's date that is written reads the same");
  }
  if (const std::optional<Duration> wait = net::parse_retry_after(bytes)) {
    must_hold(*wait >= Duration{0} && *wait <= std::chrono::hours(24),
              "nobody makes us wait for more than a day");
  }
}

}  // namespace nlc::bytes

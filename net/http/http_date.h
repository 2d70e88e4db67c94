#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/time.h"

namespace nlc::net {

/// The Date header of HTTP (RFC 9110, IMF-fixdate): "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date(WallTime time);

/// Reads that form, the only one that servers send today. Nothing when the text is anything else.
std::optional<WallTime> parse_http_date(std::string_view text);

/// The Retry-After header in whole seconds, the only form that clients of Kubernetes understand;
/// above a day it is taken for nonsense.
std::optional<Duration> parse_retry_after(std::string_view text);

}  // namespace nlc::net

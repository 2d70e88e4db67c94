#pragma once

#include <optional>
#include <string_view>

namespace nlc::bench {

/// The value of one series in Prometheus' text format, named as it stands there:
/// `nlc_watch_events_total{resource="leases"}`. Nothing when the text has no such series.
std::optional<double> sample(std::string_view exposition, std::string_view series);

}  // namespace nlc::bench

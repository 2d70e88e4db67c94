#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace nlc::bench {

/// The value of one series in Prometheus' text format, named as it stands there:
/// `nlc_watch_events_total{resource="leases"}`. Nothing when the text has no such series.
std::optional<double> sample(std::string_view exposition, std::string_view series);

/// The series of one metric that have all these labels, each as it stands there (`verb="PUT"`),
/// added up.
double sum_of(std::string_view exposition, std::string_view metric,
              const std::vector<std::string_view>& labels);

}  // namespace nlc::bench

#pragma once

#include <prometheus/metric_family.h>
#include <vector>

namespace nlc::metrics {

/// This process's CPU time, resident memory, start time and open descriptors as the kernel tells
/// them now, under the names that every Prometheus client library uses. A number that /proc does
/// not give is left out. Linux only.
std::vector<prometheus::MetricFamily> process_metrics();

}  // namespace nlc::metrics

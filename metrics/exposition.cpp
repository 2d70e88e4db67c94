#include <algorithm>
#include <array>
#include <iterator>
#include <prometheus/text_serializer.h>
#include <utility>
#include <vector>

#include "metrics/families.h"
#include "metrics/metrics.h"
#include "metrics/process_metrics.h"

/// What is read of the families: for Prometheus as text, for those who check a run as values.
namespace nlc::metrics {
namespace {

double value_of(const prometheus::ClientMetric& series, prometheus::MetricType type) {
  switch (type) {
    case prometheus::MetricType::Counter:
      return series.counter.value;
    case prometheus::MetricType::Gauge:
      return series.gauge.value;
    case prometheus::MetricType::Histogram:
      return static_cast<double>(series.histogram.sample_count);
    default:
      return series.untyped.value;
  }
}

Metrics::Series series_of(const prometheus::MetricFamily& family) {
  Metrics::Series all;
  for (const prometheus::ClientMetric& series : family.metric) {
    Metrics::Labels labels;
    for (const auto& label : series.label) labels.emplace(label.name, label.value);
    all.emplace(std::move(labels), value_of(series, family.type));
  }
  return all;
}

constexpr std::array<std::string_view, 3> of_election{"leader_election_", "nlc_election_",
                                                      "rest_client_"};

std::string text_of(std::vector<prometheus::MetricFamily> families) {
  std::vector<prometheus::MetricFamily> process = process_metrics();
  families.insert(families.end(), std::make_move_iterator(process.begin()),
                  std::make_move_iterator(process.end()));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace

std::string Metrics::exposition() const { return text_of(families_->registry.Collect()); }

std::string Metrics::exposition_of_election() const {
  std::vector<prometheus::MetricFamily> families = families_->registry.Collect();
  std::erase_if(families, [](const prometheus::MetricFamily& family) {
    return std::ranges::none_of(
        of_election, [&](std::string_view prefix) { return family.name.starts_with(prefix); });
  });
  return text_of(std::move(families));
}

std::map<std::string, Metrics::Series, std::less<>> Metrics::values() const {
  std::map<std::string, Series, std::less<>> values;
  for (const prometheus::MetricFamily& family : families_->registry.Collect()) {
    values[family.name] = series_of(family);
  }
  return values;
}

std::optional<double> Metrics::value(std::string_view name, const Labels& labels) const {
  for (const prometheus::MetricFamily& family : families_->registry.Collect()) {
    if (family.name != name) continue;
    for (const auto& [found, value] : series_of(family)) {
      if (std::ranges::includes(found, labels)) return value;
    }
  }
  return std::nullopt;
}

bool Metrics::declares(std::string_view name) const {
  return families_->registry.names.contains(name);
}

}  // namespace nlc::metrics

#include "metrics/handles.h"

#include <cassert>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

namespace nlc::metrics {

void Counter::add(double amount) const {
  assert(amount >= 0);
  if (series_ != nullptr) series_->Increment(amount);
}

double Counter::value() const { return series_ == nullptr ? 0 : series_->Value(); }

void Gauge::set(double value) const {
  if (series_ != nullptr) series_->Set(value);
}

double Gauge::value() const { return series_ == nullptr ? 0 : series_->Value(); }

void Histogram::observe(double value) const {
  if (series_ != nullptr) series_->Observe(value);
}

}  // namespace nlc::metrics

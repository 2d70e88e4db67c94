#pragma once

#include <chrono>

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

/// What code that counts holds in its hand: one series each, looked up once and kept. As small as a
/// pointer and copied like one; valid for as long as the `Metrics` it came from. One that was made
/// from nothing counts for nobody, so a library can be used without metrics. Safe from any thread.
namespace nlc::metrics {

class Counter {
 public:
  Counter() = default;
  explicit Counter(prometheus::Counter& series) : series_(&series) {}

  /// `amount` is not negative.
  void add(double amount = 1) const;
  double value() const;

 private:
  prometheus::Counter* series_ = nullptr;
};

class Gauge {
 public:
  Gauge() = default;
  explicit Gauge(prometheus::Gauge& series) : series_(&series) {}

  void set(double value) const;
  double value() const;

 private:
  friend class Metrics;
  prometheus::Gauge* series_ = nullptr;
};

class Histogram {
 public:
  Histogram() = default;
  explicit Histogram(prometheus::Histogram& series) : series_(&series) {}

  void observe(double value) const;
  /// In seconds.
  void observe(std::chrono::duration<double> time) const { observe(time.count()); }

 private:
  prometheus::Histogram* series_ = nullptr;
};

}  // namespace nlc::metrics

#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "runtime/published.h"
#include "runtime/time.h"

namespace nlc::controller {

/// One line of `/readyz?verbose`.
struct HealthCheck {
  std::string name;
  bool ok = false;
  std::string detail;  ///< why not, or a fact worth knowing
  /// What is checked stops nobody from being ready, and is not well: what an operator asks for is
  /// not done.
  bool warns = false;
};

/// What the controller's thread lets the operations port see, so that the port answers even while
/// that thread is stuck. Publishing and reading are safe from any thread.
class HealthBoard {
 public:
  void publish(std::vector<HealthCheck> checks, Instant now) {
    checks_.publish(std::move(checks));
    published_at_.store(now.time_since_epoch().count());
  }

  std::shared_ptr<const std::vector<HealthCheck>> checks() const { return checks_.read(); }

  /// When the controller's thread last published: its sign of life.
  Instant published_at() const { return Instant{Duration{published_at_.load()}}; }

 private:
  Published<std::vector<HealthCheck>> checks_;
  std::atomic<Duration::rep> published_at_{0};
};

}  // namespace nlc::controller

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "client/endpoint.h"
#include "controller/health.h"
#include "metrics/metrics.h"
#include "runtime/clock.h"

namespace nlc::program {

/// The pages of the operations port: `/metrics` for Prometheus, `/livez` and `/healthz` (is the
/// controller's thread moving), `/readyz` (does it see the cluster), each with `?verbose`. It reads
/// only what other threads may read, so it answers even when the controller's thread is stuck.
class OperationsPages final : public client::Endpoint {
 public:
  /// How the election stands, asked on this side's thread.
  using ElectionCheck = std::function<controller::HealthCheck(Instant now)>;

  OperationsPages(const metrics::Metrics& metrics, const controller::HealthBoard& health,
                  const Clock& clock, ElectionCheck election = nullptr)
      : metrics_(metrics), health_(health), clock_(clock), election_(std::move(election)) {}

  Subscription serve(client::IncomingRequest request,
                     std::unique_ptr<client::Reply> reply) override;

 private:
  client::Response page(std::string_view path, bool verbose) const;
  client::Response health_page(std::string_view name, std::vector<controller::HealthCheck> checks,
                               bool verbose) const;
  std::vector<controller::HealthCheck> life_checks() const;
  controller::HealthCheck thread_check() const;

  const metrics::Metrics& metrics_;
  const controller::HealthBoard& health_;
  const Clock& clock_;
  const ElectionCheck election_;
};

}  // namespace nlc::program

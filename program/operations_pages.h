#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "client/endpoint.h"
#include "controller/rules/health.h"
#include "metrics/metrics.h"
#include "runtime/clock.h"

namespace nlc::program {

/// The pages of the operations port: `/metrics` for Prometheus, `/livez` and `/healthz` (is the
/// controller's thread moving), `/readyz` (does it see the cluster, and could it lead), each with
/// `?verbose`, without a check by `?exclude=CHECK`, and for one check alone by `/CHECK`. It reads
/// only what other threads may read, so it answers even when the controller's thread is stuck.
class OperationsPages final : public client::Endpoint {
 public:
  /// How the election stands, asked on this side's thread: whether its work moves, or whether this
  /// replica could lead.
  enum class Question : std::uint8_t { Alive, Ready };
  using ElectionCheck = std::function<controller::HealthCheck(Instant now, Question question)>;

  OperationsPages(const metrics::Metrics& metrics, const controller::HealthBoard& health,
                  const Clock& clock, ElectionCheck election = nullptr)
      : metrics_(metrics), health_(health), clock_(clock), election_(std::move(election)) {}

  /// The lines of `/readyz?verbose`.
  std::vector<controller::HealthCheck> readiness() const;

  Subscription serve(client::IncomingRequest request,
                     std::unique_ptr<client::Reply> reply) override;

 private:
  client::Response page(std::string_view target) const;
  std::optional<std::vector<controller::HealthCheck>> checks_of(std::string_view page) const;
  std::vector<controller::HealthCheck> life_checks(Question question) const;
  controller::HealthCheck thread_check() const;

  const metrics::Metrics& metrics_;
  const controller::HealthBoard& health_;
  const Clock& clock_;
  const ElectionCheck election_;
};

}  // namespace nlc::program

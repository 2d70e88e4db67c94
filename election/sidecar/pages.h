#pragma once

#include <memory>
#include <string_view>

#include "client/endpoint.h"
#include "election/leader_status.h"
#include "metrics/metrics.h"
#include "runtime/clock.h"

namespace nlc::election {

/// What the side-car answers on its port: the leader's name at every path, as the old one did, save
///   /isLeader   whether it is this process
///   /validity   both, and for how much longer they hold by this answer's time; its trouble
///   /healthz    alive;  /readyz  the lock has been seen within its lease; its trouble
///   /metrics    for Prometheus
/// Names and leadership are computed from what remains of their validity at the moment of asking:
/// a standby that is cut off names nobody, and a leader that is cut off ceases to say so before
/// another can lead.
class SidecarPages final : public client::Endpoint {
 public:
  SidecarPages(const LeaderStatusBoard& board, const metrics::Metrics& metrics, const Clock& clock)
      : board_(board), metrics_(metrics), clock_(clock) {}

  Subscription serve(client::IncomingRequest request,
                     std::unique_ptr<client::Reply> reply) override;

 private:
  client::Response page(std::string_view path) const;

  const LeaderStatusBoard& board_;
  const metrics::Metrics& metrics_;
  const Clock& clock_;
};

}  // namespace nlc::election

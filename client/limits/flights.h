#pragma once

#include <optional>
#include <vector>

#include "client/limits/request_kind.h"
#include "runtime/time.h"

namespace nlc::client {

/// When the requests in flight were sent. One that is not answered within a second is overdue: it
/// hangs, or its server is slow. Pure.
class Flights {
 public:
  static constexpr Duration overdue_after = std::chrono::seconds(1);

  /// `now` never goes back from call to call.
  void sent(RequestKind kind, Instant now);
  /// The request that was sent at `sent` has been answered, or has failed.
  void answered(RequestKind kind, Instant sent);

  ByKind<int> overdue(Instant now) const;
  /// When the next request becomes overdue; nothing when all are, or none is in flight.
  std::optional<Instant> next_overdue(Instant now) const;

 private:
  using SendTimes = std::vector<Instant>;  ///< the earliest first

  ByKind<SendTimes> in_flight_;
};

}  // namespace nlc::client

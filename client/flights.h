#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "client/transport.h"
#include "runtime/time.h"

namespace nlc::client {

/// A number for each try and each priority.
using PriorityCounts = std::array<std::array<int, priority_count>, try_count>;

/// When the requests in flight were sent. One that is not answered within a second is overdue: it
/// hangs, or its server is slow. Pure.
class Flights {
 public:
  static constexpr Duration overdue_after = std::chrono::seconds(1);

  /// `now` never goes back from call to call.
  void sent(RequestPriority priority, Try attempt, Instant now);
  void answered(RequestPriority priority, Try attempt, Instant sent);

  PriorityCounts overdue(Instant now) const;
  /// When the next request becomes overdue; nothing when all are, or none is in flight.
  std::optional<Instant> next_overdue(Instant now) const;

 private:
  using Departures = std::vector<Instant>;  ///< in their order

  Departures& of(RequestPriority priority, Try attempt) {
    return departures_[static_cast<std::size_t>(attempt)][static_cast<std::size_t>(priority)];
  }

  std::array<std::array<Departures, priority_count>, try_count> departures_;
};

}  // namespace nlc::client

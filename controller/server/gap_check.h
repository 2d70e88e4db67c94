#pragma once

#include <cstdint>
#include <utility>

#include "controller/server/api_availability.h"

namespace nlc::controller {

/// What comes back after a gap in the proofs may be a restored server that has come further
/// meanwhile than it was before: new streams go on where the old ones were, and no version shows
/// it. A stream that is still the same comes from a server that never went.
///
/// Pure, on one thread.
class GapCheck {
 public:
  /// `restarts`: of all watches together. True: a gap has ended, and another server may be back.
  bool follow(std::uint64_t restarts, const ApiAvailability& availability) {
    const Duration gaps = availability.closed_gaps();
    const bool closed = std::exchange(gaps_, gaps) != gaps;
    const bool may_be_another = closed && restarts != restarts_at_proof_;
    const Instant proof = availability.last_proof();
    if (std::exchange(proof_, proof) != proof) restarts_at_proof_ = restarts;
    return may_be_another;
  }

 private:
  Duration gaps_{0};
  Instant proof_ = Instant::min();
  std::uint64_t restarts_at_proof_ = 0;  ///< when the server was last seen well
};

}  // namespace nlc::controller

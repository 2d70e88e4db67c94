#pragma once

#include <utility>
#include <vector>

#include "api/lease.h"
#include "controller/rules/decision.h"
#include "runtime/time.h"

namespace nlc::controller {

/// Lists of leases that were answered while no stream told of leases. What was renewed meanwhile
/// only the list can show, and a server that had just been restored shows it no more. The second
/// write of a lease of ours after it bears it out: that was sent after the answer, and a restored
/// server would have refused it, for ours is not as it left it.
///
/// Pure, on one thread.
class UnwitnessedReads {
 public:
  struct Read {
    ReadLeases asked;
    std::vector<api::NodeLease> found;
  };

  void keep(Read read, Instant answered) {
    kept_.push_back({.read = std::move(read), .answered = answered});
  }
  bool empty() const { return kept_.empty(); }
  /// The server took a write of a lease of ours: those that are borne out by it.
  std::vector<Read> lease_written();
  /// Those that are too old to judge by: nobody knows which nodes came back since.
  std::vector<Read> take_old(Instant now);
  std::vector<Read> take_all();

 private:
  struct Kept {
    Read read;
    Instant answered;
    int writes = 0;  ///< since it was answered
  };
  std::vector<Read> take_until(std::vector<Kept>::iterator end);

  std::vector<Kept> kept_;  ///< in the order of the answers
};

}  // namespace nlc::controller

#pragma once

#include <utility>
#include <vector>

#include "api/lease.h"
#include "controller/rules/decision.h"
#include "runtime/time.h"

namespace nlc::controller {

/// Lists of leases that were answered while no stream told of leases. What was renewed meanwhile
/// only the list can show, and a server that had just been restored shows it no more. A write of a
/// lease of ours that was sent after the answer bears it out: a restored server would have refused
/// it, for ours is not as it left it.
///
/// Which nodes came back since nobody knows, so it has to be borne out soon. Where our lease is
/// renewed more seldom than that, lists follow each other until one is asked for so late before a
/// renewal that it is.
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
  /// Those that are borne out by a write of a lease of ours that was sent then.
  std::vector<Read> take_answered_before(Instant sent);
  /// Those that are too old to judge by: nobody knows which nodes came back since.
  std::vector<Read> take_old(Instant now);
  std::vector<Read> take_all();

 private:
  struct Kept {
    Read read;
    Instant answered;
  };
  std::vector<Read> take_until(std::vector<Kept>::iterator end);

  std::vector<Kept> kept_;  ///< in the order of the answers
};

}  // namespace nlc::controller

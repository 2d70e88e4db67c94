#pragma once

#include <utility>
#include <vector>

#include "controller/rules/decision.h"
#include "runtime/time.h"

namespace nlc::controller {

/// Lists of leases that were answered while no stream told of leases. What was renewed meanwhile
/// only the list can show, and a server that had just been restored shows it no more. A write of a
/// lease of ours that was sent after the answer bears it out: a restored server would have refused
/// it, for ours is not as it left it. While one waits for such a write, one is made.
///
/// Pure, on one thread.
class UnwitnessedReads {
 public:
  struct Read {
    ReadLeases asked;
    std::vector<api::NodeLease> found;
    Instant answered{};
  };

  void keep(Read read);
  bool empty() const { return kept_.empty(); }
  /// Those that are borne out by a write of a lease of ours that was sent then.
  std::vector<Read> take_answered_before(Instant sent);
  /// Those that count no more, whatever bears them out.
  std::vector<Read> take_old(Instant now);
  std::vector<Read> take_all() { return std::exchange(kept_, {}); }

 private:
  std::vector<Read> kept_;
};

}  // namespace nlc::controller

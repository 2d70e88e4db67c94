#pragma once

#include <string>

#include "api/lease.h"
#include "runtime/random.h"
#include "runtime/result.h"
#include "runtime/time.h"

namespace nlc::sim {

/// What a lease keeper wants next: one request, or a wait after which `wake` is called.
enum class LeaseAction { Wait, Read, ReadOwner, Create, Update };

struct LeaseStep {
  LeaseAction action = LeaseAction::Wait;
  Duration wait{0};
};

/// Keeps the Lease of one node renewed, as a kubelet does (component-helpers' lease controller).
///
/// Renews every quarter of the lease's duration, up to 4 % later so that kubelets drift apart. It
/// updates from the version of its last answer, reads only after a conflict or when five quick
/// updates failed, creates what is missing once the owning Node is there. While the lease cannot be
/// read it tries again after 200 ms, doubling to 7 s, for ever.
///
/// Pure. Calls follow: begin (wake | the answer to the step that was returned last)*
class LeaseKeeper {
 public:
  static constexpr int quick_tries = 5;
  static constexpr Duration backoff_min = std::chrono::milliseconds(200);
  static constexpr Duration backoff_max = std::chrono::seconds(7);

  explicit LeaseKeeper(Duration lease_duration) : interval_(lease_duration / 4) {}

  /// A kubelet that has just started knows no version. `first_rest` is the wait after the first
  /// success, so that those who started together do not renew together.
  LeaseStep begin(Duration first_rest);

  LeaseStep wake();
  LeaseStep on_read(const Result<api::Lease>& answer, Random& random);
  LeaseStep on_owner(bool exists, Random& random);
  LeaseStep on_created(const Result<api::Lease>& answer, Random& random);
  LeaseStep on_updated(const Result<api::Lease>& answer, Random& random);

  /// The resourceVersion for the next update.
  const std::string& version() const { return version_; }
  Duration interval() const { return interval_; }

 private:
  LeaseStep rest(Random& random);
  LeaseStep back_off();
  LeaseStep read();

  Duration interval_;
  Duration first_rest_{0};
  Duration backoff_{backoff_min};
  std::string version_;
  int tries_ = 0;
  bool resting_ = false;  ///< the wait is the pause between renewals, not a back-off
  bool reread_ = false;   ///< this renewal has already fallen back to reading once
};

}  // namespace nlc::sim

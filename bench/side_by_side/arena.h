#pragma once

#include <functional>
#include <set>
#include <string>

#include "bench/death_report.h"
#include "bench/side_by_side/contender.h"
#include "bench/side_by_side/plan.h"
#include "tests/real/rig/process.h"
#include "tests/real/rig/real_cluster.h"

namespace nlc::bench {

/// A fresh etcd and kube-apiserver with hollow nodes that live, for one contender. Requests of the
/// contender are told from the nodes' by who sends them. Whatever ends early throws, with its last
/// words; so does what does not come in time.
class Arena {
 public:
  /// Returns when all nodes and pods run.
  explicit Arena(const Plan& plan);

  Orders orders(Limits limits, Election election);

  /// The nodes that lose their power, each time the same.
  std::set<std::string> victims() const;
  void cut_power() { nodes_.send_signal(power_cut); }
  /// Answers what was seen of the deaths until now.
  Deaths give_power_back();
  std::size_t take_condemned() { return report_.take_condemned(); }
  void pause_server() { cluster_.pause_server(); }
  void resume_server() { cluster_.resume_server(); }

  /// Lease renewals that the server has taken so far, the contender's own included.
  double renewals();
  /// Requests of the contender that were answered, or watches begun, between two moments.
  double requests_between(WallTime from, WallTime to);
  /// Who holds the lease by which replicas choose their leader, or did last; empty: nobody.
  std::string leader_of(Brand brand);

  std::uint16_t server_port() const { return cluster_.server_port(); }
  std::string server_version() { return cluster_.server_version(); }

 private:
  static const int power_cut;
  static const int power_back;

  const Plan& plan_;
  real::RealCluster cluster_;
  real::Process nodes_;
  DeathReport report_;
};

/// Waits until `holds`; throws when it does not come within `limit`.
void await_or_throw(const std::string& what, Duration limit, const std::function<bool()>& holds);

}  // namespace nlc::bench

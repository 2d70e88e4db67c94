#include "sim/nlc_cluster.h"

#include "net/stop_signals.h"
#include "sim/nlc_embedded.h"

namespace nlc::sim {
namespace {

constexpr Duration between_boots = std::chrono::milliseconds(2);

}  // namespace

int run_cluster(const ClusterFlags& flags) {
  Embedded embedded;
  if (!embedded.publish({flags.bind_address, flags.port}, flags.kubeconfig)) return 1;
  say("API server listens on http://" + embedded.port->address());
  say("kubeconfig is " + flags.kubeconfig);
  say("try:  kubectl --kubeconfig " + flags.kubeconfig + " get nodes");
  say("and:  node-lifecycle-controller --kubeconfig " + flags.kubeconfig);

  HollowCluster cluster(embedded.world(), cluster_options(flags.fleet, between_boots));
  const FleetPlay play(cluster, flags.fleet, embedded.world(), say,
                       [] { say("Ctrl-C ends the cluster"); });
  const net::StopSignals signals(embedded.loop, [&](int) { embedded.loop.stop(); });
  embedded.loop.run();
  say("ended");
  return 0;
}

}  // namespace nlc::sim

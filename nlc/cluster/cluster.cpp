#include "nlc/cluster/cluster.h"

#include <csignal>

#include "net/loop/stop_signals.h"
#include "nlc/cluster/embedded.h"

namespace nlc::workbench {

int run_cluster(const ClusterFlags& flags) {
  FleetReport report(flags.report);
  if (!is_well(report.open())) return 1;
  Embedded embedded;
  if (!embedded.publish({flags.bind_address, flags.port}, flags.kubeconfig)) return 1;
  say("API server listens on http://" + embedded.port->address());
  say("kubeconfig is " + flags.kubeconfig);
  say("try:  kubectl --kubeconfig " + flags.kubeconfig + " get nodes");
  say("and:  node-lifecycle-controller --kubeconfig " + flags.kubeconfig);
  say("then see it at http://127.0.0.1:10291/");

  report.begin(embedded.env());
  constexpr Duration boot_interval = std::chrono::milliseconds(2);
  sim::HollowClusterOptions options = cluster_options(flags.fleet, boot_interval);
  options.pods_watcher = report.pods_watcher();
  sim::HollowCluster cluster(embedded.env(), options);
  FleetPlay play(cluster, flags.fleet, embedded.env(),
                 report.with({.say = say, .show = show_progress, .on_complete = [] {
                                say("Ctrl-C ends the cluster");
                              }}));
  const net::StopSignals cut(embedded.loop, [&](int) { play.kill(); }, {SIGUSR1});
  const net::StopSignals back(embedded.loop, [&](int) { play.revive(); }, {SIGUSR2});
  const net::StopSignals signals(embedded.loop, [&](int) { embedded.loop.stop(); });
  embedded.loop.run();
  if (const std::string summary = report.close(); !summary.empty()) say(summary);
  say("ended");
  return is_well(report.trouble()) ? 0 : 1;
}

}  // namespace nlc::workbench

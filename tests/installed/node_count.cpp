#include <chrono>
#include <iostream>

#include "api/objects.h"
#include "informer/reflector.h"
#include "net/config/kubeconfig.h"
#include "net/http_client/socket_transport.h"
#include "net/loop/asio_loop.h"
#include "net/loop/system_clock.h"
#include "net/process/environment.h"

/// Counts the nodes of a cluster with the installed informer library.
int main(int count, char** arguments) {
  if (count != 2) return 2;
  const auto cluster = nlc::net::load_kubeconfig({.file = arguments[1], .context = {}},
                                                 nlc::net::process_environment());
  if (!cluster) return 1;
  const nlc::net::SystemClock clock;
  nlc::net::AsioLoop loop(clock);
  nlc::SilentLog log;
  const nlc::client::Gate gate;
  nlc::net::SocketTransport transport(*cluster,
                                      {.clock = clock, .executor = loop, .gate = gate, .log = log},
                                      {.user_agent = "node-count"});
  nlc::informer::Store<nlc::api::Node> nodes;
  const nlc::informer::Reflector<nlc::api::Node> reflector(
      {.transport = transport, .clock = clock, .executor = loop, .log = log, .resource = "nodes"},
      nodes, {});
  if (!loop.run_until([&] { return nodes.synced(); }, std::chrono::seconds(20))) return 1;
  std::cout << nodes.size() << " nodes" << std::endl;
}

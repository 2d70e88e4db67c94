#include "nlc/cluster/embedded.h"

#include <utility>

namespace nlc::workbench {

Embedded::Embedded()
    : loop(clock),
      // A real server has written hundreds of objects of its own before anybody asks it.
      server(clock, loop, {.history = {.first_version = 1'000}}),
      transport({.executor = loop, .clock = clock, .endpoint = server, .gate = gate},
                {.latency = Duration{0}, .user_agent = "nlc-hollow-kubelet"}) {
  gate.open_for_ever();
}

bool Embedded::publish(const net::ListenAddress& address, const std::string& kubeconfig) {
  Result<std::unique_ptr<net::HttpServer>> listening =
      net::HttpServer::listen(loop, server, address);
  if (!listening) {
    complain(listening.error().path);
    return false;
  }
  port = std::move(*listening);
  return is_well(write_kubeconfig(kubeconfig, "http://" + port->address()));
}

}  // namespace nlc::workbench

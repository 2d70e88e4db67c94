#pragma once

#include <memory>
#include <string>

#include "client/limits/gate.h"
#include "net/http_server/http_server.h"
#include "net/loop/asio_loop.h"
#include "net/loop/system_clock.h"
#include "nlc/console/console.h"
#include "sim/apiserver/api_server.h"
#include "sim/kubelet/hollow_cluster.h"
#include "sim/loopback_transport.h"

namespace nlc::workbench {

/// The embedded API server in real time, on one thread, and the way to it from inside the process.
/// The members stand in the order in which they need each other.
struct Embedded {
  Embedded();

  net::SystemClock clock;
  net::AsioLoop loop;
  ConsoleLog log;
  client::Gate gate;  ///< always open: a kubelet asks nobody for the right to speak
  sim::ApiServer server;
  sim::LoopbackTransport transport;
  std::unique_ptr<net::HttpServer> port;

  sim::HollowCluster::Env env() { return {transport, clock, loop, log}; }

  /// Puts it on a port and writes the kubeconfig. False, after saying why, when that cannot be.
  bool publish(const net::ListenAddress& address, const std::string& kubeconfig);
};

}  // namespace nlc::workbench

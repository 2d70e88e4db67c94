#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client/limits/gate.h"
#include "client/resources.h"
#include "runtime/log.h"
#include "sim/apiserver/api_server.h"
#include "sim/kubelet/hollow_cluster.h"
#include "sim/loopback_transport.h"
#include "sim/virtual_time.h"

namespace nlc::sim {

/// An embedded API server in virtual time, and what reached it.
struct HollowWorld {
  HollowWorld()
      : time(WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 2}}),
        server(time, time,
               {.observe = [this](const ServedRequest& request) { served.push_back(request); }}),
        transport({.executor = time, .clock = time, .endpoint = server, .gate = gate}, {}) {
    gate.open_for_ever();
  }

  HollowCluster::Env world() { return {transport, time, time, log}; }

  /// The object as the server has it; null when there is none.
  nlohmann::json get(const std::string& path) {
    nlohmann::json found;
    transport.send({.target = path}, [&found](const Result<client::Response>& answer) {
      if (answer && answer->status == 200) found = nlohmann::json::parse(answer->body);
    });
    time.run_for(std::chrono::milliseconds(10));
    return found;
  }

  /// Somebody else's write; answers the status.
  int write(const std::string& method, const std::string& path, const nlohmann::json& body) {
    int status = 0;
    transport.send({.method = method,
                    .target = path,
                    .content_type = method == "PATCH" ? "application/strategic-merge-patch+json"
                                                      : "application/json",
                    .body = body.dump()},
                   [&status](const Result<client::Response>& answer) {
                     if (answer) status = answer->status;
                   });
    time.run_for(std::chrono::milliseconds(10));
    return status;
  }

  /// Condition of a node or pod; null when there is none.
  static nlohmann::json condition(const nlohmann::json& object, const std::string& type) {
    for (const nlohmann::json& condition : object.at("status").at("conditions")) {
      if (condition.at("type") == type) return condition;
    }
    return nullptr;
  }
  std::string ready_of(const std::string& path) {
    const nlohmann::json ready = condition(get(path), "Ready");
    return ready.is_null() ? "" : ready.at("status").get<std::string>();
  }

  std::vector<ServedRequest> requests(const std::string& verb, const std::string& resource,
                                      const std::string& subresource = "") const {
    std::vector<ServedRequest> found;
    for (const ServedRequest& request : served) {
      if (request.info.verb == verb && request.info.resource == resource &&
          request.info.subresource == subresource) {
        found.push_back(request);
      }
    }
    return found;
  }

  VirtualTime time;
  client::Gate gate;
  SilentLog log;
  std::vector<ServedRequest> served;
  ApiServer server;
  LoopbackTransport transport;
};

inline const std::string lease_path_0 =
    "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/hollow-0";
inline const std::string node_path_0 = "/api/v1/nodes/hollow-0";
inline const std::string pod_path_0 = "/api/v1/namespaces/hollow/pods/hollow-0-0";

}  // namespace nlc::sim

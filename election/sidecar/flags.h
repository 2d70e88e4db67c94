#pragma once

#include <string>
#include <vector>

#include "election/election_options.h"
#include "runtime/flags.h"
#include "runtime/time.h"

namespace nlc::election {

/// The command line of `leader-elector`: names and defaults of the old side-car of that name, save
/// the lock, which was endpoints.
struct SidecarFlags {
  std::string election;
  std::string id;  ///< empty: the host's name
  std::string election_namespace = "default";
  Duration ttl = std::chrono::seconds(10);
  std::string http;  ///< "host:port"; empty: no port is opened
  bool use_cluster_credentials = false;
  std::string kubeconfig;
  LockKind lock = LockKind::Leases;
};

using SidecarCommandLine = CommandLine<SidecarFlags>;
SidecarCommandLine read_sidecar_command_line(const std::vector<std::string>& arguments);

/// The lease lasts for the ttl; renewals are tried for half of it, each quarter.
ElectionOptions election_options(const SidecarFlags& flags, const std::string& host_name);

}  // namespace nlc::election

#pragma once

#include <string>

#include "net/config/cluster_config.h"
#include "net/process/environment.h"
#include "runtime/result.h"

namespace nlc::net {

inline constexpr const char* service_account_mount =
    "/var/run/secrets/kubernetes.io/serviceaccount";

/// How a pod reaches the API server of its own cluster: the KUBERNETES_SERVICE_* variables, and
/// token and CA of its service account. The namespace is POD_NAMESPACE, else the mount's, else
/// "default". Errors (Fault::Invalid) name what is missing or empty, and a CA without a
/// certificate.
Result<ClusterConfig> load_in_cluster(const Environment& environment,
                                      const std::string& mount = service_account_mount);

}  // namespace nlc::net

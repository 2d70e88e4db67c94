#pragma once

#include "net/config/cluster_config.h"
#include "net/config/kubeconfig.h"
#include "net/process/environment.h"
#include "runtime/result.h"

namespace nlc::net {

/// The cluster that a program talks to: of the kubeconfig when a file or context is named; else,
/// inside a pod, its service account's; else of the environment's kubeconfig.
Result<ClusterConfig> find_cluster(const KubeconfigOptions& named, const Environment& environment);

}  // namespace nlc::net

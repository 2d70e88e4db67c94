#pragma once

#include <string>

#include "net/config/cluster_config.h"
#include "net/process/environment.h"
#include "runtime/result.h"

namespace nlc::net {

struct KubeconfigOptions {
  std::string file;     ///< --kubeconfig: must exist. Empty: KUBECONFIG's list, else ~/.kube/config
  std::string context;  ///< empty: current-context
};

/// Reads kubeconfig files as kubectl does: of several files the first that names a cluster, user,
/// context or the current context wins; relative paths count from the file in which they stand.
///
/// Refused with a word on what would work instead: exec and auth-provider plugins, impersonation,
/// proxy-url, a server without a scheme beside what is said of TLS. Errors (Fault::Invalid) name
/// file, context, and cluster or user. Files are read, so that a missing one, a CA without a
/// certificate and the key of another certificate are reported before the first connection; a
/// tokenFile beside a token may come later. Files that are replaced later are the business of
/// Credentials.
Result<ClusterConfig> load_kubeconfig(const KubeconfigOptions& options,
                                      const Environment& environment);

}  // namespace nlc::net

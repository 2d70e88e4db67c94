#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kubeconfig.h"
#include "process.h"

namespace nlc::real {

/// What a container of a pod is given to run.
struct Container {
  std::vector<std::string> words;  ///< the program, then its arguments
  std::filesystem::path mount;     ///< a folder of its own, in which its credentials are put
  std::filesystem::path output;
  std::string space = "kube-system";  ///< the pod's namespace
};

/// Runs a program as a container of a pod would have it: the service account's token and the CA
/// where a kubelet mounts them, the API server's address in the environment, a root file system
/// that cannot be written, no capabilities. In a mount namespace of its own; the network is this
/// machine's.
Process run_as_in_pod(const Container& container, const Kubeconfig& account);

}  // namespace nlc::real

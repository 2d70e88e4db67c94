#pragma once

#include <string>

namespace nlc::workbench {

struct WhyFlags {
  std::string kind;  ///< node, pod, zone; empty: what comes next
  std::string name;
  bool json = false;
  std::string server;  ///< URL of a status port; empty: the leader's, by kubectl port-forward
  std::string kubeconfig;
  std::string context;
  std::string namespace_ = "kube-system";
  std::string lease = "node-lifecycle-controller";
};

/// Asks a controller why. The exit code: 0 answered, 1 not, or of something that is not there, 2
/// usage.
int run_why(const WhyFlags& flags);

}  // namespace nlc::workbench

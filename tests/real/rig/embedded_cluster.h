#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kubectl_program.h"

namespace nlc::real {

/// `nlc cluster` on a free port, with 50 nodes in three zones and three pods on each, and kubectl
/// to ask it. The constructor returns once all of them run; it throws, with nlc's last words, when
/// they do not.
class EmbeddedCluster {
 public:
  EmbeddedCluster();
  ~EmbeddedCluster();
  EmbeddedCluster(const EmbeddedCluster&) = delete;
  EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

  KubectlAnswer kubectl(std::vector<std::string> arguments, const std::string& input = "");

  /// A kubectl that goes on until it is killed.
  Process start_kubectl(std::vector<std::string> arguments);

 private:
  std::filesystem::path kubeconfig() const { return folder_ / "nlc.kubeconfig"; }

  std::filesystem::path folder_;
  KubectlProgram kubectl_;
  Process nlc_;
};

}  // namespace nlc::real

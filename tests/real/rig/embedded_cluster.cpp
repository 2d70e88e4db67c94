#include "embedded_cluster.h"

#include <stdexcept>
#include <utility>

#include "stage.h"
#include "waiting.h"

namespace nlc::real {

using namespace std::chrono_literals;

EmbeddedCluster::EmbeddedCluster()
    : folder_(new_folder()),
      kubectl_(folder_),
      nlc_({.words = {workbench_program().string(), "cluster", "--nodes", "50", "--pods-per-node",
                      "3", "--zones", "3", "--port", "0", "--kubeconfig", kubeconfig().string()},
            .output = folder_ / "nlc.log"}) {
  const auto all_run = [this] {
    return nlc_.output().find("all nodes and pods run") != std::string::npos;
  };
  if (!await(30s, all_run)) {
    throw std::runtime_error("nlc cluster did not become ready: " + nlc_.last_lines(5));
  }
}

EmbeddedCluster::~EmbeddedCluster() {
  nlc_.kill();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

KubectlAnswer EmbeddedCluster::kubectl(std::vector<std::string> arguments,
                                       const std::string& input) {
  return kubectl_.run(kubeconfig(), std::move(arguments), input);
}

Process EmbeddedCluster::start_kubectl(std::vector<std::string> arguments) {
  return kubectl_.start(kubeconfig(), std::move(arguments));
}

}  // namespace nlc::real

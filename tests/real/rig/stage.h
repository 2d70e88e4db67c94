#pragma once

#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loopback.h"
#include "real_cluster.h"

namespace nlc::real {

inline const std::string manifests = std::string(NLC_SOURCE_DIR) + "/manifests";

/// Where a program of ours stands: in $NLC_PROGRAMS when set, else where this build put it.
std::filesystem::path controller_program();
std::filesystem::path workbench_program();
std::filesystem::path sidecar_program();

/// The program under test at work, with its operations port.
class Controller {
 public:
  struct Options {
    std::filesystem::path kubeconfig;
    std::filesystem::path log;
    std::vector<std::string> flags{};
  };
  explicit Controller(const Options& options);
  Controller(Process process, int port) : port_(port), process_(std::move(process)) {}

  Process& process() { return process_; }
  std::string log() const { return process_.output(); }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  /// A page of the operations port; status 0 while nobody answers.
  Page page(const std::string& path) const;
  int readiness() const { return page("/readyz").status; }

  /// Whether some line of the log holds all of `words`.
  bool said(const std::vector<std::string>& words) const;

 private:
  int port_;
  Process process_;
};

/// The cluster, and on it the controller as its service account and hollow nodes as the
/// administrator. All stories share one cluster, for it takes seconds to start; each finds it
/// empty. When a test fails, what the programs and the cluster said last is printed, the folder
/// with the logs is kept, and the next one gets a new cluster.
class Stage : public ::testing::Test {
 protected:
  Stage();
  ~Stage() override;
  void TearDown() override;

  /// With the credentials of manifests/rbac.yaml, or with `kubeconfig`.
  void start_controller(std::vector<std::string> flags);
  void start_controller(const std::filesystem::path& kubeconfig, std::vector<std::string> flags);

  /// As the administrator, or with `kubeconfig`.
  void start_nodes(std::vector<std::string> flags);
  void start_nodes(const std::filesystem::path& kubeconfig, std::vector<std::string> flags);

  std::vector<nlohmann::json> nodes() { return items_of({"nodes"}); }
  std::vector<nlohmann::json> pods() { return items_of({"pods", "--all-namespaces"}); }
  std::vector<nlohmann::json> items_of(std::vector<std::string> what);

  std::string evidence();

  RealCluster& cluster_;
  const std::filesystem::path folder_;  ///< of this story, within the cluster's
  std::optional<Controller> controller_;
  std::optional<Process> nodes_;
};

/// Every request that the server refused as forbidden, and every write that the issue of this
/// controller is not to make, or makes without saying which version of the object it means.
void expect_only_rightful_requests(const std::vector<AuditLine>& lines);

}  // namespace nlc::real

#include "stage.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "objects.h"

namespace nlc::real {
namespace {

std::filesystem::path our_program(const std::string& name, const std::filesystem::path& built) {
  const char* folder = std::getenv("NLC_PROGRAMS");
  const std::filesystem::path file =
      folder == nullptr ? built : std::filesystem::path(folder) / name;
  if (std::filesystem::exists(file)) return file;
  throw std::runtime_error(name + " is not built (looked for " + file.string() + ")");
}

std::vector<std::string> joined(std::vector<std::string> words,
                                const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Writes that belong to the controller, as "verb what".
const std::set<std::string>& rightful_writes() {
  static const std::set<std::string> writes = {
      "patch nodes",   "patch nodes/status", "delete pods",   "patch pods/status",
      "create leases", "update leases",      "create events", "patch events"};
  return writes;
}

std::unique_ptr<RealCluster>& shared_cluster() {
  static std::unique_ptr<RealCluster> cluster;
  return cluster;
}

RealCluster& empty_cluster() {
  if (std::unique_ptr<RealCluster>& cluster = shared_cluster(); cluster) {
    cluster->empty();
  } else {
    cluster = std::make_unique<RealCluster>();
    std::cout << "kube-apiserver " << cluster->server_version() << std::endl;
  }
  return *shared_cluster();
}

bool says_which_version(const AuditLine& line) {
  const nlohmann::json metadata = line.body.value("metadata", nlohmann::json::object());
  const nlohmann::json preconditions = line.body.value("preconditions", nlohmann::json::object());
  return metadata.contains("resourceVersion") || metadata.contains("uid") ||
         preconditions.contains("uid");
}

}  // namespace

std::filesystem::path controller_program() {
  return our_program("node-lifecycle-controller", NLC_CONTROLLER_PROGRAM);
}

std::filesystem::path workbench_program() { return our_program("nlc", NLC_WORKBENCH_PROGRAM); }

std::filesystem::path sidecar_program() {
  return our_program("leader-elector", NLC_SIDECAR_PROGRAM);
}

Controller::Controller(const Options& options)
    : port_(free_port()),
      process_({.words = joined(
                    {controller_program().string(), "--kubeconfig", options.kubeconfig.string(),
                     "--metrics-bind-address=127.0.0.1:" + std::to_string(port_)},
                    options.flags),
                .output = options.log}) {}

Page Controller::page(const std::string& path) const {
  return read_page(port_, path).value_or(Page{});
}

bool Controller::said(const std::vector<std::string>& words) const {
  std::istringstream text(log());
  for (std::string line; std::getline(text, line);) {
    const auto in_line = [&line](const std::string& word) {
      return line.find(word) != std::string::npos;
    };
    if (std::all_of(words.begin(), words.end(), in_line)) return true;
  }
  return false;
}

Stage::Stage()
    : cluster_(empty_cluster()),
      folder_(cluster_.folder() / ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
  std::filesystem::create_directory(folder_);
}

Stage::~Stage() {
  if (HasFailure()) shared_cluster().reset();
}

void Stage::TearDown() {
  if (!HasFailure()) return;
  cluster_.keep_folder();
  std::cout << evidence() << std::endl;
}

void Stage::start_controller(std::vector<std::string> flags) {
  start_controller(
      write_kubeconfig(folder_ / "controller.kubeconfig", cluster_.controller_account_config()),
      std::move(flags));
}

void Stage::start_controller(const std::filesystem::path& kubeconfig,
                             std::vector<std::string> flags) {
  controller_.emplace(Controller::Options{
      .kubeconfig = kubeconfig, .log = folder_ / "controller.log", .flags = std::move(flags)});
}

void Stage::start_nodes(std::vector<std::string> flags) {
  start_nodes(cluster_.admin_file(), std::move(flags));
}

void Stage::start_nodes(const std::filesystem::path& kubeconfig, std::vector<std::string> flags) {
  nodes_.emplace(Command{
      .words = joined({workbench_program().string(), "hollow", "--kubeconfig", kubeconfig.string()},
                      flags),
      .output = folder_ / "hollow.log"});
}

std::vector<nlohmann::json> Stage::items_of(std::vector<std::string> what) {
  return cluster_.get(std::move(what)).value("items", std::vector<nlohmann::json>());
}

std::string Stage::evidence() {
  std::string text = "---- logs are kept in " + folder_.string() + "\n";
  if (controller_) {
    text += "---- controller, last lines:\n" + last_lines(controller_->log(), 30) +
            "---- /readyz?verbose:\n" + controller_->page("/readyz?verbose").text;
  }
  if (nodes_) text += "---- hollow nodes, last lines:\n" + nodes_->last_lines(10);
  text += "---- nodes that are not Ready:\n";
  for (const nlohmann::json& node : nodes()) {
    if (!has_condition(node, "Ready", "True")) text += in_short(node) + "\n";
  }
  text += "---- kube-apiserver, last lines:\n" + cluster_.server_log_end();
  return text;
}

void expect_only_rightful_requests(const std::vector<AuditLine>& lines) {
  std::vector<AuditLine> wrongful;
  for (const AuditLine& line : refusals_of(lines, controller_account, 403)) {
    if (!line.while_starting) wrongful.push_back(line);
  }
  for (const AuditLine& line : writes_of(lines, controller_account)) {
    const bool on_object = line.what.rfind("nodes", 0) == 0 || line.what.rfind("pods", 0) == 0;
    const bool rightful = rightful_writes().count(line.verb + " " + line.what) == 1;
    if (!rightful || (on_object && !says_which_version(line))) wrongful.push_back(line);
  }
  EXPECT_EQ(listed(wrongful), "");
}

}  // namespace nlc::real

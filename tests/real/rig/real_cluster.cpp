#include "real_cluster.h"

#include <random>
#include <signal.h>
#include <stdexcept>
#include <utility>

#include "loopback.h"
#include "waiting.h"

namespace nlc::real {
namespace {

using namespace std::chrono_literals;

std::string new_token(const std::string& name) {
  std::random_device dice;
  return name + "-" + std::to_string(dice()) + std::to_string(dice());
}

std::string local_url(const std::string& scheme, int port) {
  return scheme + "://127.0.0.1:" + std::to_string(port);
}

}  // namespace

RealCluster::RealCluster(const RealClusterOptions& options)
    : folder_(new_folder()),
      kubectl_(folder_),
      authority_(folder_, "cluster-ca"),
      serving_(authority_.issue({.file_stem = "kube-apiserver",
                                 .subject = "/CN=kube-apiserver",
                                 .names = "IP:127.0.0.1,DNS:localhost"})),
      etcd_port_(free_port()),
      server_port_(free_port()),
      admin_{.server = local_url("https", server_port_),
             .authority = authority_.certificate(),
             .token = new_token("admin")},
      second_admin_{.server = admin_.server,
                    .authority = admin_.authority,
                    .token = new_token(options.second_administrator)},
      audit_log_(folder_ / "audit.log") {
  make_key(folder_ / "service-accounts.key");
  const std::string& second = options.second_administrator;
  write_text(folder_ / "tokens.csv", admin_.token + ",admin,admin,system:masters\n" +
                                         second_admin_.token + "," + second + "," + second +
                                         ",system:masters\n");
  write_text(folder_ / "audit-policy.yaml", options.audit_policy);
  write_kubeconfig(admin_file(), admin_);
  start_etcd();
  start_server();
}

RealCluster::~RealCluster() {
  server_.reset();  // an API server without etcd takes a minute to end and keeps its port
  etcd_.reset();
  std::error_code ignored;
  if (!keep_folder_) std::filesystem::remove_all(folder_, ignored);
}

void RealCluster::start_etcd() {
  const std::string clients = local_url("http", etcd_port_);
  const std::string peers = local_url("http", free_port());
  etcd_.emplace(Command{
      .words = {asset("etcd").string(), "--data-dir", (folder_ / "etcd").string(),
                "--unsafe-no-fsync", "--listen-client-urls", clients, "--advertise-client-urls",
                clients, "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
                "--initial-cluster", "default=" + peers},
      .output = folder_ / "etcd.log"});
}

// Without these two admission plugins pods need no service account and nodes are not born tainted.
// From 1.37 on the endpoint reconciler refuses an address of the machine's own.
void RealCluster::start_server() {
  const std::string key = (folder_ / "service-accounts.key").string();
  const auto file = [this](const char* name) { return (folder_ / name).string(); };
  server_.emplace(
      Command{.words = {asset("kube-apiserver").string(),
                        "--etcd-servers=" + local_url("http", etcd_port_),
                        "--secure-port=" + std::to_string(server_port_),
                        "--bind-address=127.0.0.1",
                        "--advertise-address=127.0.0.1",
                        "--endpoint-reconciler-type=none",
                        "--cert-dir=" + file("server-certificates"),
                        "--tls-cert-file=" + serving_.certificate.string(),
                        "--tls-private-key-file=" + serving_.key.string(),
                        "--client-ca-file=" + authority_.certificate().string(),
                        "--token-auth-file=" + file("tokens.csv"),
                        "--authorization-mode=RBAC",
                        "--service-account-key-file=" + key,
                        "--service-account-signing-key-file=" + key,
                        "--service-account-issuer=https://kubernetes.default.svc",
                        "--service-cluster-ip-range=10.0.0.0/24",
                        "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
                        "--max-requests-inflight=3000",
                        "--max-mutating-requests-inflight=1500",
                        "--audit-policy-file=" + file("audit-policy.yaml"),
                        "--audit-log-path=" + file("audit.log"),
                        "--audit-log-maxsize=4000"},  // no second file begins meanwhile
              .output = folder_ / "kube-apiserver.log"});
  const WallTime begun = wall_now();
  await_ready();
  starts_.push_back({.begun = begun, .ready = wall_now()});
}

void RealCluster::await_ready() {
  KubectlAnswer last;
  const auto ready = [this, &last] {
    last = kubectl({"get", "--raw", "/readyz"});
    return (last.exit_code == 0 && last.output == "ok") || !server_->running();
  };
  if (await(60s, ready) && server_->running()) return;
  keep_folder_ = true;
  throw std::runtime_error("kube-apiserver did not become ready; it answered \"" + last.output +
                           last.errors + "\", its log in " + folder_.string() + " ends:\n" +
                           server_log_end());
}

std::string RealCluster::server_version() {
  return nlohmann::json::parse(must({"get", "--raw", "/version"})).value("gitVersion", "unknown");
}

KubectlAnswer RealCluster::kubectl(const std::vector<std::string>& arguments,
                                   const std::string& input) {
  return kubectl_as(admin_file(), arguments, input);
}

KubectlAnswer RealCluster::kubectl_as(const std::filesystem::path& kubeconfig,
                                      std::vector<std::string> arguments,
                                      const std::string& input) {
  return kubectl_.run(kubeconfig, std::move(arguments), input);
}

std::string RealCluster::must(const std::vector<std::string>& arguments, const std::string& input) {
  const KubectlAnswer answer = kubectl(arguments, input);
  if (answer.exit_code == 0) return answer.output;
  std::string line = "kubectl";
  for (const std::string& argument : arguments) line += " " + argument;
  throw std::runtime_error(line + ": exit " + std::to_string(answer.exit_code) + ": " +
                           answer.errors);
}

nlohmann::json RealCluster::get(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "get");
  arguments.insert(arguments.end(), {"-o", "json"});
  const KubectlAnswer answer = kubectl(arguments);
  if (answer.exit_code != 0) return nlohmann::json::object();
  return nlohmann::json::parse(answer.output);
}

Process RealCluster::start_kubectl(std::vector<std::string> arguments) {
  return kubectl_.start(admin_file(), std::move(arguments));
}

Kubeconfig RealCluster::controller_account_config() {
  must({"apply", "-f", std::string(NLC_SOURCE_DIR) + "/manifests/rbac.yaml"});
  return account_config("kube-system", "node-lifecycle-controller");
}

Kubeconfig RealCluster::account_config(const std::string& space, const std::string& account) {
  std::string token = must({"create", "token", "-n", space, account, "--duration=2h"});
  token.erase(token.find_last_not_of(" \n") + 1);
  return {.server = admin_.server, .authority = admin_.authority, .token = token};
}

const std::vector<AuditLine>& RealCluster::audit_lines() {
  const std::size_t known = audit_lines_.size();
  audit_log_.read_into(audit_lines_);
  for (std::size_t i = known; i < audit_lines_.size(); ++i) {
    AuditLine& line = audit_lines_[i];
    for (const Start& start : starts_) {
      line.while_starting |= start.begun <= line.at && line.at <= start.ready;
    }
  }
  return audit_lines_;
}

// One curl for all, for kubectl needs a tenth of a second for each.
void RealCluster::empty() {
  std::vector<std::string> words = {"curl",
                                    "--silent",
                                    "--show-error",
                                    "--request",
                                    "DELETE",
                                    "--cacert",
                                    authority_.certificate().string(),
                                    "--header",
                                    "Authorization: Bearer " + admin_.token};
  for (const char* path :
       {"/api/v1/nodes", "/api/v1/namespaces/default/pods?gracePeriodSeconds=0",
        "/api/v1/namespaces/hollow/pods?gracePeriodSeconds=0", "/api/v1/namespaces/default/events",
        "/api/v1/namespaces/hollow/events", "/api/v1/namespaces/kube-system/events",
        "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases",
        "/apis/coordination.k8s.io/v1/namespaces/default/leases",
        "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/node-lifecycle-controller",
        "/api/v1/namespaces/kube-system/configmaps/node-lifecycle-controller-policy"}) {
    words.push_back(admin_.server + path);
  }
  Process curl({.words = std::move(words), .output = folder_ / "emptied.log"});
  if (curl.wait(30s) != 0) throw std::runtime_error("not emptied: " + curl.last_lines(3));
  audit_lines();
  audit_lines_.clear();
}

void RealCluster::pause_server() { server_->send_signal(SIGSTOP); }

void RealCluster::resume_server() { server_->send_signal(SIGCONT); }

std::string RealCluster::server_log_end() const { return server_->last_lines(15); }

}  // namespace nlc::real

#include "bench/rig.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>
#include <utility>

#include "net/http_client/socket_transport.h"
#include "runtime/go_duration.h"

namespace nlc::bench {
namespace {

using namespace std::chrono_literals;

constexpr Duration look_period = 20ms;
constexpr Duration start_limit = 30s;

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// The word behind `before`, once its line is there.
std::string word_behind(const std::string& text, const std::string& before) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + before.size();
  const std::size_t end = text.find_first_of(" \n", begin);
  return end == std::string::npos ? std::string() : text.substr(begin, end - begin);
}

Error stopped(const std::string& why) { return {.fault = Fault::Unavailable, .path = why}; }

/// A program that ended by itself, with what it said last.
std::optional<Error> ended(std::optional<workbench::ChildProcess>& child, const std::string& name,
                           const std::string& output) {
  if (!child || !child->exit_code()) return std::nullopt;
  std::string why = name + " ended with " + std::to_string(*child->exit_code());
  for (const std::string& line : workbench::last_lines(output, 5)) why += "\n  " + line;
  return stopped(why);
}

/// Booting takes the workbench 2 ms a node and a pod less than one; lists grow with the cluster.
Duration boot_limit(const BenchFlags& flags) { return 60s + 20ms * flags.nodes; }

}  // namespace

Rig::Rig(const Bench& bench, const BenchFlags& flags, std::string directory)
    : bench_(bench), flags_(flags), directory_(std::move(directory)) {
  for (const std::string& file : {kubeconfig(), report(), cluster_output(), controller_output()}) {
    std::error_code none;
    std::filesystem::remove(file, none);
  }
}

Result<std::monostate> Rig::in_order() {
  if (auto error = ended(workbench_, "the cluster", cluster_output())) return std::move(*error);
  if (auto error = ended(controller_, "the controller", controller_output())) {
    return std::move(*error);
  }
  return std::monostate{};
}

Result<std::monostate> Rig::wait(const std::string& what, Duration limit,
                                 const std::function<bool()>& condition) {
  bool holds = false;
  std::optional<Error> trouble;
  Timer next;
  const std::function<void()> look = [&] {
    holds = condition();
    if (auto order = in_order(); !order) trouble = std::move(order.error());
    next = bench_.loop.run_at(bench_.clock.now() + look_period, look);
  };
  next = bench_.loop.run_at(bench_.clock.now(), look);
  bench_.loop.run_until([&] { return holds || trouble; }, limit);
  if (trouble) return std::move(*trouble);
  if (holds) return std::monostate{};
  if (bench_.stopped) return stopped("asked to end");
  return stopped(what + " did not come within " + go_duration(limit));
}

Result<std::monostate> Rig::rest(Duration span) {
  bench_.loop.run_until([] { return false; }, span);
  if (bench_.stopped) return stopped("asked to end");
  return in_order();
}

std::unique_ptr<client::Transport> Rig::connect(const net::ListenAddress& address) {
  net::ClusterConfig server;
  server.host = address.host;
  server.port = address.port;
  server.tls = false;
  return std::make_unique<net::SocketTransport>(
      std::move(server),
      net::Surroundings{.clock = bench_.clock, .executor = bench_.loop, .gate = gate_, .log = log_},
      net::SocketTransportOptions{.user_agent = "nlc-bench"});
}

Result<net::ListenAddress> Rig::address_in(const std::string& file, const std::string& before) {
  std::string found;
  auto waited = wait("\"" + before + "\"", start_limit, [&] {
    found = word_behind(text_of(file), before);
    return !found.empty();
  });
  if (!waited) return std::move(waited.error());
  return net::parse_listen_address(found);
}

std::vector<std::string> Rig::cluster_words(const std::vector<std::string>& victims) const {
  const double pods = static_cast<double>(flags_.nodes) * flags_.pods_per_node;
  const auto changes = static_cast<std::uint64_t>(pods * flags_.pod_changes_per_mille / 1000);
  std::vector<std::string> words{flags_.workbench};
  if (!flags_.feed) {
    words.insert(words.end(), {"cluster", "--port=0", "--report=" + report(), "--after=10000h",
                               "--node-monitor-grace-period=" + go_duration(flags_.grace)});
  }
  words.insert(words.end(),
               {"--nodes=" + std::to_string(flags_.nodes),
                "--pods-per-node=" + std::to_string(flags_.pods_per_node),
                "--pod-changes=" + std::to_string(changes), "--kubeconfig=" + kubeconfig()});
  for (const auto* more : {&victims, &flags_.workbench_flags}) {
    words.insert(words.end(), more->begin(), more->end());
  }
  return words;
}

Result<std::monostate> Rig::start_cluster(const std::vector<std::string>& victims) {
  const workbench::ChildProcess::Command command{.words = cluster_words(victims),
                                                 .output = cluster_output()};
  auto child = workbench::ChildProcess::start(command);
  if (!child) return std::move(child.error());
  workbench_.emplace(std::move(*child));
  return wait("the last node and pod", boot_limit(flags_), [this] {
    return text_of(cluster_output()).find("all nodes and pods run") != std::string::npos;
  });
}

Result<Duration> Rig::start_controller() {
  workbench::ChildProcess::Command command{
      .words = {flags_.controller, "--kubeconfig", kubeconfig(), "--leader-elect=false",
                "--metrics-bind-address=127.0.0.1:0", "--status-bind-address=127.0.0.1:0",
                "--node-monitor-grace-period=" + go_duration(flags_.grace)},
      .output = controller_output()};
  command.words.insert(command.words.end(), flags_.controller_flags.begin(),
                       flags_.controller_flags.end());
  const Instant begun = bench_.clock.now();
  auto child = workbench::ChildProcess::start(command);
  if (!child) return std::move(child.error());
  controller_.emplace(std::move(*child));
  auto address = address_in(controller_output(), "serving metrics and health\" address=");
  if (!address) return std::move(address.error());
  auto status = address_in(controller_output(), "serving status\" address=");
  if (!status) return std::move(status.error());
  // Only now: a connection runs a thread, and children are started before there are any.
  to_operations_ = connect(*address);
  to_status_ = connect(*status);
  for (bool ready = false; !ready;) {
    if (bench_.clock.now() - begun > boot_limit(flags_)) return stopped("it never became ready");
    auto answer = ask(to_operations_, "/readyz");
    if (!answer) return std::move(answer.error());
    ready = answer->response.status == 200;
    auto rested = rest(ready ? Duration{0} : look_period);
    if (!rested) return std::move(rested.error());
  }
  return bench_.clock.now() - begun;
}

Result<Rig::Answer> Rig::ask(std::unique_ptr<client::Transport>& port, const std::string& target) {
  std::optional<Result<client::Response>> answer;
  const Instant asked = bench_.clock.now();
  Instant answered = asked;
  port->send({.target = target, .accept = "text/plain"}, [&](Result<client::Response> result) {
    answer = std::move(result);
    answered = bench_.clock.now();
  });
  auto waited = wait("the answer to " + target, start_limit, [&] { return answer.has_value(); });
  if (!waited) {
    port.reset();  // the answer would come to a place that is gone
    return std::move(waited.error());
  }
  if (!*answer) return std::move(answer->error());
  return Answer{.response = std::move(**answer), .took = answered - asked};
}

Result<std::string> Rig::metrics() {
  auto answer = ask(to_operations_, "/metrics");
  if (!answer) return std::move(answer.error());
  const client::Response& page = answer->response;
  if (page.status != 200) return stopped("/metrics: " + std::to_string(page.status));
  return std::move(answer->response.body);
}

Result<Duration> Rig::time_of_answer(const std::string& target, int status) {
  auto answer = ask(to_status_, target);
  if (!answer) return std::move(answer.error());
  const int told = answer->response.status;
  if (told != status) return stopped(target + ": " + std::to_string(told));
  return answer->took;
}

void Rig::cut_power() const { ::kill(workbench_->pid(), SIGUSR1); }

void Rig::give_power_back() const { ::kill(workbench_->pid(), SIGUSR2); }

}  // namespace nlc::bench

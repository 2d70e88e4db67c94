#include "bench/side_by_side/bare_client.h"

#include <array>
#include <functional>
#include <stdexcept>

#include "api/patches.h"
#include "client/verbs.h"
#include "net/config/kubeconfig.h"

namespace nlc::bench {
namespace {

using namespace std::chrono_literals;

/// Too few leave the server idle; too many keep it busy with connections.
constexpr std::array<std::size_t, 3> tried_in_flight{16, 64, 256};

net::ClusterConfig server_of(const std::filesystem::path& kubeconfig) {
  Result<net::ClusterConfig> server = net::load_kubeconfig(
      {.file = kubeconfig.string(), .context = ""}, net::process_environment());
  if (!server) throw std::runtime_error(server.error().path);
  return std::move(*server);
}

}  // namespace

BareClient::BareClient(const std::filesystem::path& kubeconfig) {
  gate_.open_for_ever();
  transport_.emplace(
      server_of(kubeconfig),
      net::Surroundings{
          .clock = clock_, .executor = loop_, .gate = gate_, .log = log_, .loop = &loop_},
      net::SocketTransportOptions{.user_agent = "nlc-bench"});
}

std::vector<api::Pod> BareClient::pods_on(const std::set<std::string>& nodes) {
  std::vector<api::Pod> found;
  std::string token;
  do {
    std::optional<Result<api::ListPage<api::Pod>>> page;
    client::get_page<api::Pod>(
        *transport_, {.resource_version = "", .continue_token = token, .field_selector = ""},
        [&](Result<api::ListPage<api::Pod>> answer) { page.emplace(std::move(answer)); });
    loop_.run_until([&] { return page.has_value(); }, 60s);
    if (!page) throw std::runtime_error("a list of pods was not answered");
    if (!*page) throw std::runtime_error(page->error().path);
    for (api::Pod& pod : (*page)->items) {
      if (nodes.contains(pod.node_name)) found.push_back(std::move(pod));
    }
    token = (*page)->continue_token;
  } while (!token.empty());
  return found;
}

BareClient::Limit BareClient::fastest_not_ready(const std::vector<api::Pod>& pods) {
  std::optional<Limit> fastest;
  std::optional<Error> refused;
  Duration later{0};  // else a patch that says what the one before it said would write nothing
  for (const std::size_t in_flight : tried_in_flight) {
    later += 1s;
    const WallTime told = clock_.wall_now() + std::chrono::duration_cast<WallTime::duration>(later);
    Result<Duration> took = turn_not_ready(pods, in_flight, told);
    if (!took) {
      refused = std::move(took.error());
      break;
    }
    if (!fastest || *took < fastest->took) fastest = Limit{.took = *took, .in_flight = in_flight};
  }
  if (!fastest) throw std::runtime_error(refused->path);
  return *fastest;
}

Result<Duration> BareClient::turn_not_ready(const std::vector<api::Pod>& pods,
                                            std::size_t in_flight, WallTime told) {
  std::size_t next = 0;
  std::size_t unanswered = 0;
  std::optional<Error> refused;
  const std::function<void()> send_one = [&] {
    if (refused || next == pods.size()) return;
    const api::Pod& pod = pods[next++];
    ++unanswered;
    client::patch_pod_status(
        *transport_, pod.namespace_, pod.name,
        api::pod_not_ready_patch({.uid = pod.uid, .resource_version = ""}, told),
        [&](Result<api::Pod> answer) {
          --unanswered;
          if (!answer) refused = std::move(answer.error());
          send_one();
        });
  };
  const Instant begun = clock_.now();
  for (std::size_t i = 0; i < in_flight; ++i) send_one();
  // Each request ends by its own time limit, so none is left behind that would come back here.
  if (!loop_.run_until([&] { return unanswered == 0; }, 1h)) {
    throw std::runtime_error("the bare client got no answer");
  }
  if (refused) return std::move(*refused);
  return clock_.now() - begun;
}

}  // namespace nlc::bench

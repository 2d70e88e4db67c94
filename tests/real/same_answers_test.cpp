#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>
#include <set>

#include "client/limits/gate.h"
#include "net/config/kubeconfig.h"
#include "net/http_client/socket_transport.h"
#include "net/loop/asio_loop.h"
#include "net/loop/system_clock.h"
#include "net/process/environment.h"
#include "runtime/log.h"
#include "tests/real/rig/compared_server.h"
#include "tests/real/rig/stage.h"
#include "tests/sim/apiserver/api_client.h"

/// Simulated days prove as much as the simulated server is true: the same random requests are
/// asked of it and of a real one.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;

constexpr int rounds = 10;
constexpr int requests_per_round = 200;

/// Of refusals only code and reason are promised; their texts may differ in so many ways.
constexpr std::size_t most_texts = 100;

/// $SEED, else one that nobody has seen.
std::uint64_t fresh_seed() {
  const char* given = std::getenv("SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

class RealConnection {
 public:
  explicit RealConnection(const std::filesystem::path& kubeconfig)
      : transport_(*net::load_kubeconfig({.file = kubeconfig.string(), .context = ""},
                                         net::process_environment()),
                   {clock_, loop_, gate_, log_, &loop_}, {.user_agent = "same-answers"}) {}

  client::Response ask(const client::Request& request) {
    std::optional<Result<client::Response>> answer;
    transport_.send(request, [&answer](Result<client::Response> response) {
      answer.emplace(std::move(response));
    });
    loop_.run_until([&answer] { return answer.has_value(); }, 20s);
    if (!answer || !*answer) throw std::runtime_error("no answer to " + request.target);
    return **answer;
  }

 private:
  net::SystemClock clock_;
  net::AsioLoop loop_{clock_};
  SilentLog log_;
  client::Gate gate_;
  net::SocketTransport transport_;
};

client::Response ask_embedded(sim::ApiWorld& world, const client::Request& request) {
  sim::Heard heard = world.ask(request.method, request.target, request.body, request.content_type);
  if (heard.response) return *heard.response;
  client::Response stream;
  stream.status = heard.opened ? 200 : 0;
  stream.body = heard.bytes;
  return stream;
}

class SameAnswers : public Stage {
 protected:
  void compare(const std::string& request, const Told& real, const Told& embedded) {
    ++asked_;
    if (real.status == embedded.status && real.body == embedded.body) return;
    const bool texts_alone = real.status == embedded.status && real.is_refusal() &&
                             real.body.value("reason", "") == embedded.body.value("reason", "");
    const std::string line =
        request + "\n  real:     " + in_short(real) + "\n  embedded: " + in_short(embedded) + "\n";
    if (texts_alone)
      texts_.insert(real.body.value("message", "").substr(0, 60));
    else
      differences_.push_back(line);
    if (texts_alone && std::getenv("VERBOSE") != nullptr) std::cout << line;
  }

  /// What a difference is about, not the whole of two objects.
  static std::string in_short(const Told& told) {
    return std::to_string(told.status) + " " +
           (told.is_refusal() ? told.body.value("reason", "") + ": " : "") +
           (told.is_refusal() ? told.body.value("message", "") : told.body.dump()).substr(0, 1500);
  }

  void play(const std::string& namespace_name, std::uint64_t seed) {
    for (ComparedServer* server : {&real_, &embedded_}) {
      server->ask({.method = "POST",
                   .target = "/api/v1/namespaces",
                   .content_type = "application/json",
                   .body = {{"metadata", {{"name", namespace_name}}}},
                   .edit = std::nullopt,
                   .object = "/api/v1/namespaces/" + namespace_name});
    }
    const std::vector<std::string> watched{
        "/api/v1/nodes", "/api/v1/namespaces/" + namespace_name + "/pods",
        "/apis/coordination.k8s.io/v1/namespaces/" + namespace_name + "/leases"};
    std::vector<std::pair<std::string, std::string>> begins;
    for (const std::string& path : watched)
      begins.emplace_back(real_.version_of(path), embedded_.version_of(path));
    std::set<std::string> retired;
    RandomRequests requests(seed, namespace_name);
    for (int i = 0; i < requests_per_round; ++i) {
      const RandomRequest request = requests.next(
          [&retired](const std::string& object) { return !retired.contains(object); });
      const Told real = real_.ask(request);
      const Told embedded = embedded_.ask(request);
      // A list shows what differs already.
      if (request.method == "GET" && !retired.empty()) continue;
      const std::size_t before = differences_.size();
      compare(request.method + " " + request.target + " " +
                  (request.edit ? request.edit->at.to_string() + " = " + request.edit->value.dump()
                                : request.body.dump()),
              real, embedded);
      // What differs once would be told by everything that is asked of it later.
      if (differences_.size() > before) retired.insert(request.object);
    }
    for (std::size_t i = 0; i < watched.size(); ++i) {
      auto real = real_.events_of(watched[i], begins[i].first);
      auto embedded = embedded_.events_of(watched[i], begins[i].second);
      for (const std::string& path : retired) {
        const std::string name = path.substr(path.rfind('/') + 1);
        real.erase(name);
        embedded.erase(name);
      }
      for (const auto& [name, events] : real) {
        compare("events of " + name, {200, events}, {200, embedded[name]});
        events_ += events.size();
      }
    }
  }

  RealConnection connection_{cluster_.admin_file()};
  sim::ApiWorld world_;
  ComparedServer real_{[this](const client::Request& request) { return connection_.ask(request); }};
  ComparedServer embedded_{
      [this](const client::Request& request) { return ask_embedded(world_, request); }};
  std::size_t asked_ = 0;
  std::size_t events_ = 0;
  std::vector<std::string> differences_;
  std::set<std::string> texts_;
};

TEST_F(SameAnswers, AreGivenByTheEmbeddedServerAndARealOneTo2000RandomRequests) {
  const std::uint64_t seed = fresh_seed();
  for (int round = 0; round < rounds; ++round) {
    play("same-" + std::to_string(round), seed + static_cast<std::uint64_t>(round));
  }
  std::cout << asked_ << " answers and " << events_ << " events compared, seed " << seed << ": "
            << differences_.size() << " differ, and " << texts_.size()
            << " texts of refusals do (SEED=" << seed << " VERBOSE=1 tells them)\n";
  for (const std::string& difference : differences_) std::cout << difference;
  EXPECT_EQ(differences_.size(), 0U);
  EXPECT_LE(texts_.size(), most_texts);
}

}  // namespace
}  // namespace nlc::real

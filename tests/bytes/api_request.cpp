#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/decode.h"
#include "readers.h"
#include "rule.h"
#include "sim/apiserver/api_server.h"
#include "sim/virtual_time.h"

namespace nlc::bytes {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// Keeps a whole answer; of a stream nothing.
class Kept final : public client::Reply {
 public:
  explicit Kept(std::shared_ptr<client::Response> into) : into_(std::move(into)) {}
  void send(client::Response response, std::string_view /*warning*/) override {
    *into_ = std::move(response);
  }
  void open(std::string_view /*content_type*/, std::optional<WallTime> /*date*/) override {}
  void write(std::shared_ptr<const std::string> bytes) override {
    must_hold(!bytes->empty(), "no piece of a stream is empty");
  }
  void close() override {}

 private:
  std::shared_ptr<client::Response> into_;
};

/// A server with a little of everything.
struct World {
  World() : server(time, time, {}) {
    server.load(json::parse(R"({"kind": "Namespace", "apiVersion": "v1",
      "metadata": {"name": "default"}, "status": {"phase": "Active"}})"));
    server.load(json::parse(R"({"kind": "Node", "apiVersion": "v1",
      "metadata": {"name": "n", "labels": {"zone": "a"}},
      "status": {"conditions": [{"type": "Ready", "status": "True"}]}})"));
    server.load(json::parse(R"({"kind": "Pod", "apiVersion": "v1",
      "metadata": {"name": "p", "namespace": "default"},
      "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]},
      "status": {"phase": "Running"}})"));
    server.load(json::parse(R"({"kind": "Lease", "apiVersion": "coordination.k8s.io/v1",
      "metadata": {"name": "l", "namespace": "default"}, "spec": {"holderIdentity": "h"}})"));
  }

  client::Response ask(client::IncomingRequest request) {
    const auto answer = std::make_shared<client::Response>();
    Subscription call = server.serve(std::move(request), std::make_unique<Kept>(answer));
    time.run_ready();
    open.push_back(std::move(call));
    return *answer;
  }

  sim::VirtualTime time{std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} + 9h};
  sim::ApiServer server;
  std::vector<Subscription> open;
};

std::string_view taken(std::string_view& bytes, char separator) {
  const std::size_t end = std::min(bytes.find(separator), bytes.size());
  const std::string_view part = bytes.substr(0, end);
  bytes.remove_prefix(std::min(end + 1, bytes.size()));
  return part;
}

template <typename T>
void check_list(World& world, std::string target) {
  const client::Response answer =
      world.ask({.method = "GET", .target = std::move(target), .accept = "application/json"});
  const auto page = api::Decoder<T>().list(answer.body);
  must_hold(static_cast<bool>(page), "what the server keeps can be listed");
  must_hold(page->malformed.empty(), "what the server took can be read");
}

}  // namespace

/// Requests to the embedded server, each a method and a target on one line, the body's type on the
/// next, what is accepted on a third, and then the body; 0x1E stands between two of them.
void read_api_request(std::string_view bytes) {
  World world;
  for (int asked = 0; !bytes.empty() && asked < 8; ++asked) {
    std::string_view rest = taken(bytes, '\x1e');
    client::IncomingRequest request;
    request.method = taken(rest, ' ');
    request.target = taken(rest, '\n');
    request.content_type = taken(rest, '\n');
    request.accept = taken(rest, '\n');
    request.body = rest;
    const client::Response answer = world.ask(std::move(request));
    if (answer.content_type == "application/json") {
      must_hold(json::accept(answer.body), "an answer in JSON is JSON");
    }
  }
  world.time.run_for(40s);  // deletions, garbage, what waits for a version
  check_list<api::Node>(world, "/api/v1/nodes");
  check_list<api::Pod>(world, "/api/v1/pods");
  check_list<api::NodeLease>(world, "/apis/coordination.k8s.io/v1/leases");
  check_list<api::ConfigMap>(world, "/api/v1/configmaps");
}

}  // namespace nlc::bytes

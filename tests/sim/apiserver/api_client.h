#pragma once

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/apiserver/api_server.h"
#include "sim/virtual_time.h"

/// Speaks to an embedded server directly, as a carrier would, and keeps what it said.
namespace nlc::sim {

using Json = nlohmann::json;
using namespace std::chrono_literals;

/// What came back to one caller.
struct Heard {
  std::optional<client::Response> response;
  bool opened = false;
  bool closed = false;
  bool cut = false;  ///< the reply died unfinished
  std::string stream_type;
  std::string warning;
  std::string bytes;
  std::vector<const std::string*> pieces;  ///< identities, to see what is shared

  int status() const { return response ? response->status : 0; }
  Json json() const { return response ? Json::parse(response->body, nullptr, false) : Json(); }
  std::string message() const { return json().value("message", ""); }

  std::vector<Json> events() const {
    std::vector<Json> all;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t end = bytes.find('\n', at);
      all.push_back(Json::parse(bytes.substr(at, end - at)));
      at = end + 1;
    }
    return all;
  }

  /// "ADDED a, MODIFIED a, BOOKMARK"
  std::string story() const {
    std::string text;
    for (const Json& event : events()) {
      text += (text.empty() ? "" : ", ") + event["type"].get<std::string>();
      const std::string name = event["object"].value("metadata", Json::object()).value("name", "");
      if (!name.empty()) text += " " + name;
    }
    return text;
  }
};

class RecordingReply final : public client::Reply {
 public:
  explicit RecordingReply(std::shared_ptr<Heard> heard) : heard_(std::move(heard)) {}
  ~RecordingReply() override {
    if (!heard_->response && !heard_->closed) heard_->cut = true;
  }
  void send(client::Response response, std::string_view warning) override {
    heard_->response = std::move(response);
    heard_->warning = warning;
  }
  void open(std::string_view content_type, std::optional<WallTime>) override {
    heard_->opened = true;
    heard_->stream_type = content_type;
  }
  void write(std::shared_ptr<const std::string> bytes) override {
    heard_->bytes += *bytes;
    heard_->pieces.push_back(bytes.get());
  }
  void close() override { heard_->closed = true; }

 private:
  std::shared_ptr<Heard> heard_;
};

/// A call that goes on: a watch, or a request that is not answered at once.
struct OpenCall {
  std::shared_ptr<Heard> heard;
  Subscription subscription;
  Heard* operator->() const { return heard.get(); }
};

struct ApiWorld {
  explicit ApiWorld(ApiServerOptions options = {}) : server(time, time, std::move(options)) {}

  OpenCall start(client::IncomingRequest request) {
    auto heard = std::make_shared<Heard>();
    Subscription subscription =
        server.serve(std::move(request), std::make_unique<RecordingReply>(heard));
    return {heard, std::move(subscription)};
  }

  OpenCall watch(std::string target, std::string accept = "application/json") {
    client::IncomingRequest request;
    request.method = "GET";
    request.target = std::move(target);
    request.accept = std::move(accept);
    return start(std::move(request));
  }

  Heard ask(std::string method, std::string target, std::string body = {},
            std::string content_type = "application/json") {
    client::IncomingRequest request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.accept = "application/json";
    request.body = std::move(body);
    request.content_type = std::move(content_type);
    return *start(std::move(request)).heard;
  }
  Heard get(std::string target) { return ask("GET", std::move(target)); }
  Heard post(std::string target, const Json& body) {
    return ask("POST", std::move(target), body.dump());
  }
  Heard put(std::string target, const Json& body) {
    return ask("PUT", std::move(target), body.dump());
  }
  Heard patch(std::string target, const Json& body,
              const std::string& type = "strategic-merge-patch") {
    return ask("PATCH", std::move(target), body.dump(), "application/" + type + "+json");
  }
  Heard remove(std::string target, const Json& options = Json::object()) {
    return ask("DELETE", std::move(target), options.empty() ? "" : options.dump());
  }

  VirtualTime time{std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} + 9h};
  ApiServer server;
};

inline Json node(const std::string& name, const Json& labels = Json::object()) {
  return {
      {"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", name}, {"labels", labels}}}};
}

inline Json pod(const std::string& name, const std::string& on_node = "") {
  Json spec{{"containers", {{{"name", "c"}, {"image", "registry.example/app:v1"}}}}};
  if (!on_node.empty()) spec["nodeName"] = on_node;
  return {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", name}}}, {"spec", spec}};
}

inline Json lease(const std::string& name,
                  const std::string& renewed = "2026-11-21T09:00:00.000000Z") {
  return {
      {"apiVersion", "coordination.k8s.io/v1"},
      {"kind", "Lease"},
      {"metadata", {{"name", name}, {"namespace", "kube-node-lease"}}},
      {"spec", {{"holderIdentity", name}, {"leaseDurationSeconds", 40}, {"renewTime", renewed}}}};
}

/// "409 Conflict: message", of a success "200".
inline std::string told(const Heard& heard) {
  std::string text = std::to_string(heard.status());
  if (heard.status() < 400) return text;
  const std::string reason = heard.json().value("reason", "");
  return text + " " + reason + (reason.empty() ? "" : ": ") + heard.message();
}

inline std::string version_of(const Heard& heard) {
  return heard.json()["metadata"].value("resourceVersion", "");
}
inline std::string version_of(const Json& object) { return object["metadata"]["resourceVersion"]; }

inline const std::string nodes = "/api/v1/nodes";
inline const std::string pods = "/api/v1/namespaces/default/pods";
inline const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

}  // namespace nlc::sim

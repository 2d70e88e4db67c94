#include "bench/feed.h"

#include <absl/strings/str_replace.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "runtime/time.h"

namespace nlc::bench {
namespace {

using namespace std::chrono_literals;
using json = nlohmann::ordered_json;

constexpr Duration tick_length = 10ms;
constexpr Duration between_bookmarks = 1min;

/// The first object of a recorded list, with placeholders for what tells one object from another.
json recorded_object(const std::filesystem::path& folder, const std::string& file, const char* kind,
                     const char* api_version) {
  std::ifstream stream(folder / file);
  const json list = json::parse(stream, nullptr, false);
  if (list.is_discarded() || list.value("items", json::array()).empty()) {
    throw std::runtime_error((folder / file).string() + ": no recorded list");
  }
  json object;
  object["kind"] = kind;
  object["apiVersion"] = api_version;
  object.update(list.at("items").at(0));
  object["metadata"]["name"] = "@name";
  object["metadata"]["uid"] = "@uid";
  object["metadata"]["resourceVersion"] = "@version";
  return object;
}

json bookmark_of(const json& object) {
  json bookmark;
  bookmark["kind"] = object.at("kind");
  bookmark["apiVersion"] = object.at("apiVersion");
  bookmark["metadata"]["resourceVersion"] = "@version";
  bookmark["metadata"]["creationTimestamp"] = nullptr;
  return bookmark;
}

/// The bookmark that says that all objects there are have been told.
json end_of_list(const json& object) {
  json bookmark = bookmark_of(object);
  bookmark["metadata"]["annotations"]["k8s.io/initial-events-end"] = "true";
  return bookmark;
}

/// As a line of a stream.
std::string event_of(std::string_view type, const json& object) {
  return json{{"type", type}, {"object", object}}.dump() + "\n";
}

std::string node_name(std::uint32_t index) { return "node-" + std::to_string(index); }

std::string uid_of(std::size_t resource, std::uint32_t index) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%08zx-0000-4000-8000-%012x", resource, index);
  return text.data();
}

constexpr const char* not_found =
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404})";

}  // namespace

Feed::Feed(Executor& executor, const Clock& clock, FeedOptions options)
    : executor_(executor),
      clock_(clock),
      options_(std::move(options)),
      channels_{channel(Nodes), channel(Leases), channel(Pods), channel(Policies)},
      begun_(clock.now()),
      now_(rfc3339_micro(clock.wall_now())) {
  tick();
}

Feed::Channel Feed::channel(Resource resource) const {
  json object;
  std::string path;
  switch (resource) {
    case Nodes:
      path = "/api/v1/nodes?";
      object = recorded_object(options_.recorded, "list-nodes.json", "Node", "v1");
      object["metadata"]["labels"]["topology.kubernetes.io/zone"] = "@zone";
      object["metadata"]["labels"]["kubernetes.io/hostname"] = "@name";
      break;
    case Leases:
      path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases?";
      object =
          recorded_object(options_.recorded, "list-leases.json", "Lease", "coordination.k8s.io/v1");
      object["spec"]["holderIdentity"] = "@name";
      object["spec"]["renewTime"] = "@now";
      break;
    case Pods:
      path = "/api/v1/pods?";
      object = recorded_object(options_.recorded, "list-pods.json", "Pod", "v1");
      object["spec"]["nodeName"] = "@node";
      object["status"]["message"] = "@now";
      break;
    case Policies:
      path = "/api/v1/namespaces/kube-system/configmaps?";
      object = {{"kind", "ConfigMap"}, {"apiVersion", "v1"}};
      break;
  }
  return {.path = std::move(path),
          .added = event_of("ADDED", object),
          .changed = event_of("MODIFIED", object),
          .bookmark = event_of("BOOKMARK", bookmark_of(object)),
          .end_of_list = event_of("BOOKMARK", end_of_list(object)),
          .watchers = {}};
}

std::uint32_t Feed::count(Resource resource) const {
  if (resource == Policies) return 0;
  return resource == Pods ? options_.nodes * options_.pods_per_node : options_.nodes;
}

std::string Feed::line_of(const std::string& event, Resource resource, std::uint32_t index) {
  const std::string node =
      node_name(resource == Pods ? index / std::max(options_.pods_per_node, 1U) : index);
  const std::string name = resource == Pods ? "pod-" + std::to_string(index) : node;
  return absl::StrReplaceAll(event, {{"@name", name},
                                     {"@uid", uid_of(resource, index)},
                                     {"@version", std::to_string(++version_)},
                                     {"@node", node},
                                     {"@zone", "zone-" + std::to_string(index % 3)},
                                     {"@now", now_}});
}

std::string Feed::with_version(const std::string& event) {
  return absl::StrReplaceAll(event, {{"@version", std::to_string(++version_)}});
}

Subscription Feed::serve(client::IncomingRequest request, std::unique_ptr<client::Reply> reply) {
  for (const Resource resource : all) {
    if (request.method != "GET" || !request.target.starts_with(channels_[resource].path)) continue;
    if (request.target.find("watch=") == std::string::npos) continue;
    const bool initial = request.target.find("sendInitialEvents=true") != std::string::npos;
    return watch(resource, initial, std::move(reply));
  }
  const bool event =
      request.method == "POST" && request.target.find("/events") != std::string::npos;
  reply->send({.status = event ? 201 : 404,
               .content_type = "application/json",
               .body = event ? std::move(request.body) : not_found});
  return {};
}

Subscription Feed::watch(Resource resource, bool from_the_beginning,
                         std::unique_ptr<client::Reply> reply) {
  Channel& channel = channels_[resource];
  reply->open("application/json");
  if (from_the_beginning) {
    for (std::uint32_t index = 0; index < count(resource); ++index) {
      reply->write(std::make_shared<const std::string>(line_of(channel.added, resource, index)));
    }
    reply->write(std::make_shared<const std::string>(with_version(channel.end_of_list)));
  }
  const std::uint64_t number = next_watcher_++;
  channel.watchers.emplace(number, std::move(reply));
  return Subscription([&channel, number] { channel.watchers.erase(number); });
}

void Feed::tell(Resource resource, std::string event) {
  const auto shared = std::make_shared<const std::string>(std::move(event));
  for (const auto& [number, reply] : channels_[resource].watchers) reply->write(shared);
}

/// Whatever has become due since the last one, so that the rate holds even when one comes late.
void Feed::tick() {
  using Seconds = std::chrono::duration<double>;
  const Duration elapsed = clock_.now() - begun_;
  now_ = rfc3339_micro(clock_.wall_now());
  const double turns = Seconds(elapsed) / Seconds(options_.renewal_interval);
  const auto renewals = static_cast<std::uint64_t>(turns * options_.nodes);
  for (; renewed_ < renewals; ++renewed_) {
    const auto index = static_cast<std::uint32_t>(renewed_ % options_.nodes);
    tell(Leases, line_of(channels_[Leases].changed, Leases, index));
  }
  const auto changes =
      static_cast<std::uint64_t>(Seconds(elapsed).count() * options_.pod_changes_per_second);
  for (; pods_changed_ < changes && count(Pods) > 0; ++pods_changed_) {
    // A prime apart: neighbours in time are none on a node.
    const auto index = static_cast<std::uint32_t>(pods_changed_ * 7919 % count(Pods));
    tell(Pods, line_of(channels_[Pods].changed, Pods, index));
  }
  const auto minutes = static_cast<std::uint64_t>(elapsed / between_bookmarks);
  if (minutes_told_ < minutes) {
    minutes_told_ = minutes;
    for (const Resource resource : all) {
      tell(resource, with_version(channels_[resource].bookmark));
    }
  }
  next_ = executor_.run_at(clock_.now() + tick_length, [this] { tick(); });
}

}  // namespace nlc::bench

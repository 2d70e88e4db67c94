#include "controller/live/change.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "controller/why/parts.h"

namespace nlc::controller::live {
namespace {

using nlohmann::ordered_json;

std::int64_t milliseconds_of(WallTime time) {
  return std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

ordered_json maybe(const std::optional<WallTime>& time) {
  return time ? ordered_json(milliseconds_of(*time)) : ordered_json(nullptr);
}

/// Letters, for there may be a hundred thousand of them.
std::string marks_of(const Node& node) {
  std::string marks;
  if (node.paused) marks += 'p';
  if (node.cordoned) marks += 'c';
  if (node.queued) marks += 'q';
  return marks;
}

ordered_json json_of(const Node& node) {
  return ordered_json::array(
      {node.name, node.zone, name_of(node.status), marks_of(node), maybe(node.since)});
}

ordered_json json_of(const ReplicaStatus& replica) {
  return {{"identity", replica.identity}, {"role", replica.role}, {"leader", replica.leader},
          {"state", replica.state},       {"is", replica.is},     {"held", replica.held}};
}

ordered_json json_of(const Step& step) { return {{"what", step.what}, {"when", maybe(step.when)}}; }

ordered_json json_of(const Past& past) {
  return {{"at", milliseconds_of(past.at)},
          {"what", name_of(past.action)},
          {"outcome", name_of(past.outcome)},
          {"object", past.object},
          {"detail", past.detail},
          {"why", past.why}};
}

template <typename T>
ordered_json list_of(const std::vector<T>& list) {
  ordered_json json = ordered_json::array();
  for (const T& one : list) json.push_back(json_of(one));
  return json;
}

}  // namespace

std::string_view name_of(NodeStatus status) {
  switch (status) {
    case NodeStatus::Evicting:
      return "evicting";
    case NodeStatus::Unknown:
      return "unknown";
    case NodeStatus::NotReady:
      return "not-ready";
    case NodeStatus::Paused:
      return "paused";
    case NodeStatus::Cordoned:
      return "cordoned";
    case NodeStatus::Tainted:
      return "tainted";
    case NodeStatus::Excluded:
      return "excluded";
    case NodeStatus::Ready:
      return "ready";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

std::string json_of(const Change& change) {
  ordered_json json{{"at", milliseconds_of(change.at)},
                    {"took", std::chrono::round<std::chrono::microseconds>(change.took).count()}};
  if (change.replica) json["replica"] = json_of(*change.replica);
  if (change.zones) json["zones"] = list_of(*change.zones);
  if (!change.gone.empty()) json["gone"] = change.gone;
  if (!change.nodes.empty()) json["nodes"] = list_of(change.nodes);
  if (change.next) json["next"] = list_of(*change.next);
  if (change.past) json["past"] = list_of(*change.past);
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace nlc::controller::live

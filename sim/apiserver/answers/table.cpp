#include "sim/apiserver/answers/table.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_join.h>
#include <array>
#include <optional>
#include <set>
#include <vector>

#include "sim/apiserver/answers/table_columns.h"
#include "sim/apiserver/types/json_text.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;
using std::chrono::seconds;

std::string text(const Json& object, const char* key) {
  const Json& value = member(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

long long number(const Json& object, const char* key) {
  const Json& value = member(object, key);
  return value.is_number_integer() ? value.get<long long>() : 0;
}

std::string or_none(std::string value) { return value.empty() ? "<none>" : value; }
std::string or_unknown(std::string value) { return value.empty() ? "<unknown>" : value; }

std::string span_since(const std::string& timestamp, WallTime now) {
  const std::optional<WallTime> then = parse_rfc3339(timestamp);
  return then ? short_span(std::chrono::duration_cast<seconds>(now - *then)) : "<unknown>";
}

std::string age(const Json& object, WallTime now) {
  return span_since(text(member(object, "metadata"), "creationTimestamp"), now);
}

std::string node_status(const Json& node) {
  std::string status = "Unknown";
  for (const Json& condition : member(member(node, "status"), "conditions")) {
    if (text(condition, "type") != "Ready") continue;
    status = text(condition, "status") == "True" ? "Ready" : "NotReady";
  }
  return member(member(node, "spec"), "unschedulable") == true ? status + ",SchedulingDisabled"
                                                               : status;
}

std::string node_roles(const Json& node) {
  constexpr std::string_view prefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  const Json& labels = member(member(node, "metadata"), "labels");
  if (!labels.is_object()) return "<none>";
  for (const auto& [key, value] : labels.items()) {
    if (key.starts_with(prefix) && key.size() > prefix.size())
      roles.insert(key.substr(prefix.size()));
    if (key == "kubernetes.io/role" && value.is_string()) roles.insert(value.get<std::string>());
  }
  return or_none(absl::StrJoin(roles, ","));
}

std::string node_address(const Json& node, std::string_view type) {
  for (const Json& address : member(member(node, "status"), "addresses")) {
    if (text(address, "type") == type) return or_none(text(address, "address"));
  }
  return "<none>";
}

Json node_cells(const Json& node, WallTime now) {
  const Json& info = member(member(node, "status"), "nodeInfo");
  std::string kernel = or_unknown(text(info, "kernelVersion"));
  if (const std::string architecture = text(info, "architecture"); !architecture.empty()) {
    kernel += " (" + architecture + ")";
  }
  return {text(member(node, "metadata"), "name"),
          node_status(node),
          node_roles(node),
          age(node, now),
          text(info, "kubeletVersion"),
          node_address(node, "InternalIP"),
          node_address(node, "ExternalIP"),
          or_unknown(text(info, "osImage")),
          kernel,
          or_unknown(text(info, "containerRuntimeVersion"))};
}

struct ContainerSummary {
  long long ready = 0;
  long long restarts = 0;
  bool running = false;
  std::string reason;  ///< of the first container that waits or ended, seen from the front
  std::string last_restart;
};

ContainerSummary summary_of_containers(const Json& pod) {
  ContainerSummary sum;
  const Json& statuses = member(member(pod, "status"), "containerStatuses");
  for (auto at = statuses.rbegin(); at != statuses.rend(); ++at) {
    const Json& state = member(*at, "state");
    const Json& ended = member(state, "terminated");
    const std::string waiting = text(member(state, "waiting"), "reason");
    const bool ready = member(*at, "ready") == true;
    sum.restarts += number(*at, "restartCount");
    sum.last_restart = std::max(sum.last_restart,
                                text(member(member(*at, "lastState"), "terminated"), "finishedAt"));
    if (!waiting.empty()) {
      sum.reason = waiting;
    } else if (ended.is_object()) {
      const long long signal = number(ended, "signal");
      sum.reason = text(ended, "reason");
      if (sum.reason.empty() && signal != 0) sum.reason = "Signal:" + std::to_string(signal);
      if (sum.reason.empty()) sum.reason = "ExitCode:" + std::to_string(number(ended, "exitCode"));
    } else if (ready && member(state, "running").is_object()) {
      sum.running = true;
      ++sum.ready;
    }
  }
  return sum;
}

std::string pod_status(const Json& pod, const ContainerSummary& containers) {
  const Json& status = member(pod, "status");
  const std::string phase = text(status, "phase");
  std::string shown = text(status, "reason").empty() ? phase : text(status, "reason");
  if (!containers.reason.empty()) shown = containers.reason;
  if (shown == "Completed" && containers.running) {
    shown = "NotReady";
    for (const Json& condition : member(status, "conditions")) {
      if (text(condition, "type") == "Ready" && text(condition, "status") == "True")
        shown = "Running";
    }
  }
  if (!member(member(pod, "metadata"), "deletionTimestamp").is_string()) return shown;
  if (text(status, "reason") == "NodeLost") return "Unknown";
  return phase == "Succeeded" || phase == "Failed" ? shown : "Terminating";
}

std::string readiness_gates(const Json& pod) {
  const Json& gates = member(member(pod, "spec"), "readinessGates");
  if (gates.empty()) return "<none>";
  std::size_t open = 0;
  for (const Json& gate : gates) {
    for (const Json& condition : member(member(pod, "status"), "conditions")) {
      const bool same = text(condition, "type") == text(gate, "conditionType");
      if (same && text(condition, "status") == "True") ++open;
    }
  }
  return std::to_string(open) + "/" + std::to_string(gates.size());
}

Json pod_cells(const Json& pod, WallTime now) {
  const ContainerSummary containers = summary_of_containers(pod);
  const Json& status = member(pod, "status");
  std::string restarts = std::to_string(containers.restarts);
  if (containers.restarts > 0 && !containers.last_restart.empty()) {
    restarts += " (" + span_since(containers.last_restart, now) + " ago)";
  }
  return {text(member(pod, "metadata"), "name"),
          std::to_string(containers.ready) + "/" +
              std::to_string(member(member(pod, "spec"), "containers").size()),
          pod_status(pod, containers),
          restarts,
          age(pod, now),
          or_none(text(status, "podIP")),
          or_none(text(member(pod, "spec"), "nodeName")),
          or_none(text(status, "nominatedNodeName")),
          readiness_gates(pod)};
}

std::string event_source(const Json& event) {
  const Json& source = member(event, "source");
  std::string component = text(source, "component");
  std::string host = text(source, "host");
  if (component.empty()) component = text(event, "reportingComponent");
  if (host.empty()) host = text(event, "reportingInstance");
  return host.empty() ? component : component + ", " + host;
}

Json event_cells(const Json& event, WallTime now) {
  const Json& object = member(event, "involvedObject");
  const Json& series = member(event, "series");
  std::string first = text(event, "firstTimestamp");
  if (first.empty()) first = text(event, "eventTime");
  std::string last = text(series, "lastObservedTime");
  if (last.empty()) last = text(event, "lastTimestamp");
  if (last.empty()) last = first;
  long long count = series.is_object() ? number(series, "count") : number(event, "count");
  if (count == 0) count = 1;
  const std::string kind = absl::AsciiStrToLower(text(object, "kind"));
  const std::string name = text(object, "name");
  return {span_since(last, now),
          text(event, "type"),
          text(event, "reason"),
          name.empty() ? kind : kind + "/" + name,
          text(object, "fieldPath"),
          event_source(event),
          text(event, "message"),
          span_since(first, now),
          count,
          text(member(event, "metadata"), "name")};
}

std::string selector_text(const Json& labels) {
  std::vector<std::string> parts;
  if (labels.is_object()) {
    for (const auto& [key, value] : labels.items()) {
      parts.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : ""));
    }
  }
  return or_none(absl::StrJoin(parts, ","));
}

Json daemonset_cells(const Json& object, WallTime now) {
  const Json& status = member(object, "status");
  const Json& spec = member(member(member(object, "spec"), "template"), "spec");
  std::vector<std::string> names;
  std::vector<std::string> images;
  for (const Json& container : member(spec, "containers")) {
    names.push_back(text(container, "name"));
    images.push_back(text(container, "image"));
  }
  return {text(member(object, "metadata"), "name"),
          number(status, "desiredNumberScheduled"),
          number(status, "currentNumberScheduled"),
          number(status, "numberReady"),
          number(status, "updatedNumberScheduled"),
          number(status, "numberAvailable"),
          selector_text(member(spec, "nodeSelector")),
          age(object, now),
          absl::StrJoin(names, ","),
          absl::StrJoin(images, ","),
          selector_text(member(member(member(object, "spec"), "selector"), "matchLabels"))};
}

std::string endpoints_text(const Json& object) {
  std::vector<std::string> shown;
  for (const Json& subset : member(object, "subsets")) {
    for (const Json& address : member(subset, "addresses")) {
      const Json& ports = member(subset, "ports");
      if (ports.empty()) shown.push_back(text(address, "ip"));
      for (const Json& port : ports) {
        shown.push_back(text(address, "ip") + ":" + std::to_string(number(port, "port")));
      }
    }
  }
  const std::size_t all = shown.size();
  if (all <= 3) return or_none(absl::StrJoin(shown, ","));
  shown.resize(3);
  return absl::StrJoin(shown, ",") + " + " + std::to_string(all - 3) + " more...";
}

}  // namespace

std::string_view column_definitions(const Resource& resource) {
  static const std::vector<std::string> rendered = [] {  // constant text, made once
    std::vector<std::string> all;
    for (const Resource& each : resources()) {
      nlohmann::ordered_json list = nlohmann::ordered_json::array();
      for (const Column& column : columns_of(each)) {
        list.push_back({{"name", column.name},
                        {"type", column.type},
                        {"format", column.format},
                        {"description", column.description},
                        {"priority", column.priority}});
      }
      all.push_back(list.dump());
    }
    return all;
  }();
  return rendered[resource.id];
}

Json cells_of(const Resource& resource, const ObjectView& object, WallTime now) {
  const Json& json = object.json();
  const std::string name = text(member(json, "metadata"), "name");
  if (resource.kind == "Node") return node_cells(json, now);
  if (resource.kind == "Pod") return pod_cells(json, now);
  if (resource.kind == "Event") return event_cells(json, now);
  if (resource.kind == "DaemonSet") return daemonset_cells(json, now);
  if (resource.kind == "Lease")
    return {name, text(member(json, "spec"), "holderIdentity"), age(json, now)};
  if (resource.kind == "Namespace")
    return {name, text(member(json, "status"), "phase"), age(json, now)};
  if (resource.kind == "Endpoints") return {name, endpoints_text(json), age(json, now)};
  if (resource.kind == "ServiceAccount") return {name, age(json, now)};
  return {name, member(json, "data").size() + member(json, "binaryData").size(), age(json, now)};
}

std::string short_span(seconds span) {
  const long long total = span.count();
  if (total < -1) return "<invalid>";
  if (total < 0) return "0s";
  struct Step {
    long long below;  // seconds up to which this step holds
    long long unit;
    char letter;
    long long small_unit;  // 0: no second part
    char small_letter;
  };
  constexpr long long minute = 60;
  constexpr long long hour = 60 * minute;
  constexpr long long day = 24 * hour;
  constexpr long long year = 365 * day;
  constexpr std::array<Step, 8> steps{{{2 * minute, 1, 's', 0, ' '},
                                       {10 * minute, minute, 'm', 1, 's'},
                                       {3 * hour, minute, 'm', 0, ' '},
                                       {8 * hour, hour, 'h', minute, 'm'},
                                       {2 * day, hour, 'h', 0, ' '},
                                       {8 * day, day, 'd', hour, 'h'},
                                       {2 * year, day, 'd', 0, ' '},
                                       {8 * year, year, 'y', day, 'd'}}};
  for (const Step& step : steps) {
    if (total >= step.below) continue;
    std::string shown = std::to_string(total / step.unit) + step.letter;
    if (step.small_unit == 0) return shown;
    const long long rest = total % step.unit / step.small_unit;
    return rest == 0 ? shown : shown + std::to_string(rest) + step.small_letter;
  }
  return std::to_string(total / year) + "y";
}

}  // namespace nlc::sim

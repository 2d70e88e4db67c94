#include "api/decode.h"

#include <algorithm>
#include <type_traits>

#include "api/json_fields.h"

namespace nlc::api {
namespace {

std::optional<ConditionStatus> condition_status(Json condition) {
  const std::string_view word = text(condition, "status");
  if (word == "True") return ConditionStatus::True;
  if (word == "False") return ConditionStatus::False;
  if (word == "Unknown") return ConditionStatus::Unknown;
  return std::nullopt;
}

Taint read_taint(Json json) {
  return {.key = std::string(text(json, "key")),
          .value = std::string(text(json, "value")),
          .effect = std::string(text(json, "effect")),
          .time_added = timestamp(json, "timeAdded")};
}

NodeCondition read_node_condition(Json json, ConditionStatus status) {
  return {.type = std::string(text(json, "type")),
          .status = status,
          .reason = std::string(text(json, "reason")),
          .message = std::string(text(json, "message")),
          .last_heartbeat = timestamp(json, "lastHeartbeatTime"),
          .last_transition = timestamp(json, "lastTransitionTime")};
}

Toleration read_toleration(Json json) {
  return {.key = std::string(text(json, "key")),
          .operator_ = std::string(text(json, "operator")),
          .value = std::string(text(json, "value")),
          .effect = std::string(text(json, "effect")),
          .seconds = integer(json, "tolerationSeconds")};
}

PodCondition read_pod_condition(Json json, ConditionStatus status) {
  return {.status = status,
          .reason = std::string(text(json, "reason")),
          .message = std::string(text(json, "message")),
          .last_transition = timestamp(json, "lastTransitionTime")};
}

void read_labels(Json metadata, Labels& labels) {
  const std::optional<Json> found = field(metadata, "labels");
  if (!found) return;
  simdjson::dom::object object;
  if (found->get(object) != simdjson::SUCCESS) throw WrongType("labels");
  for (const auto [key, value] : object) {
    if (!is_read_label(key)) continue;
    std::string_view content;
    if (value.get(content) != simdjson::SUCCESS) throw WrongType(key);
    labels.emplace_back(key, content);
  }
}

/// The part of metadata that every kind has. An object without a name cannot be acted on.
template <typename T>
Json read_metadata(Json json, T& object) {
  const std::optional<Json> metadata = field(json, "metadata");
  if (!metadata) throw std::runtime_error("metadata is missing");
  object.name = text(*metadata, "name");
  object.uid = text(*metadata, "uid");
  object.resource_version = text(*metadata, "resourceVersion");
  if (object.name.empty()) throw std::runtime_error("metadata.name is missing");
  return *metadata;
}

void read(Json json, Node& node) {
  const Json metadata = read_metadata(json, node);
  node.created = timestamp(metadata, "creationTimestamp");
  node.deleting = field(metadata, "deletionTimestamp").has_value();
  read_labels(metadata, node.labels);
  if (const std::optional<Json> spec = field(json, "spec")) {
    node.unschedulable = boolean(*spec, "unschedulable");
    each(*spec, "taints", [&](Json taint) { node.taints.push_back(read_taint(taint)); });
  }
  if (const std::optional<Json> status = field(json, "status")) {
    each(*status, "conditions", [&](Json condition) {
      const std::optional<ConditionStatus> known = condition_status(condition);
      if (!known || node.condition(text(condition, "type")) != nullptr) return;
      node.conditions.push_back(read_node_condition(condition, *known));
    });
  }
}

void read(Json json, NodeLease& lease) {
  read_metadata(json, lease);
  if (const std::optional<Json> spec = field(json, "spec")) {
    lease.renewed = timestamp(*spec, "renewTime");
  }
}

void read_pod_status(Json status, Pod& pod) {
  const std::string_view phase = text(status, "phase");
  pod.finished = phase == "Succeeded" || phase == "Failed";
  pod.lost = text(status, "reason") == reason_node_lost;
  each(status, "conditions", [&](Json condition) {
    const std::string_view type = text(condition, "type");
    const std::optional<ConditionStatus> known = condition_status(condition);
    if (!known) return;
    if (type == "Ready" && !pod.ready) pod.ready = read_pod_condition(condition, *known);
    if (type == "DisruptionTarget" && !pod.disruption_target) {
      pod.disruption_target = read_pod_condition(condition, *known);
    }
  });
}

void read(Json json, Pod& pod) {
  const Json metadata = read_metadata(json, pod);
  pod.namespace_ = text(metadata, "namespace");
  if (pod.namespace_.empty()) throw std::runtime_error("metadata.namespace is missing");
  pod.generation = integer(metadata, "generation").value_or(0);
  pod.deleting = field(metadata, "deletionTimestamp").has_value();
  each(metadata, "ownerReferences", [&](Json owner) {
    if (text(owner, "kind") == "DaemonSet" && boolean(owner, "controller")) pod.daemon = true;
  });
  if (const std::optional<Json> spec = field(json, "spec")) {
    pod.node_name = text(*spec, "nodeName");
    each(*spec, "tolerations",
         [&](Json toleration) { pod.tolerations.push_back(read_toleration(toleration)); });
  }
  if (const std::optional<Json> status = field(json, "status")) read_pod_status(*status, pod);
}

Status read_status(Json json) {
  Status status;
  status.code = static_cast<int>(integer(json, "code").value_or(0));
  status.reason = text(json, "reason");
  status.message = text(json, "message");
  if (const std::optional<Json> details = field(json, "details")) {
    each(*details, "causes", [&](Json cause) {
      status.causes.push_back({.reason = std::string(text(cause, "reason")),
                               .message = std::string(text(cause, "message")),
                               .field = std::string(text(cause, "field"))});
    });
    if (const auto seconds = integer(*details, "retryAfterSeconds")) {
      constexpr std::int64_t hour = 3600;
      status.retry_after = std::chrono::seconds(std::clamp(*seconds, std::int64_t{0}, hour));
    }
  }
  return status;
}

EventType event_type(std::string_view text) {
  if (text == "ADDED") return EventType::Added;
  if (text == "MODIFIED") return EventType::Modified;
  if (text == "DELETED") return EventType::Deleted;
  if (text == "BOOKMARK") return EventType::Bookmark;
  if (text == "ERROR") return EventType::Error;
  return EventType::Malformed;
}

template <typename T>
void read_bookmark(Json object, WatchEvent<T>& event) {
  const std::optional<Json> metadata = field(object, "metadata");
  if (!metadata) throw std::runtime_error("metadata is missing");
  event.resource_version = text(*metadata, "resourceVersion");
  if (const std::optional<Json> annotations = field(*metadata, "annotations")) {
    event.ends_initial_events = text(*annotations, "k8s.io/initial-events-end") == "true";
  }
}

template <typename T>
void read_event(Json json, WatchEvent<T>& event) {
  const std::string_view type_text = text(json, "type");
  const EventType type = event_type(type_text);
  if (type == EventType::Malformed) {
    throw std::runtime_error("unknown event type \"" + std::string(type_text) + "\"");
  }
  const std::optional<Json> object = field(json, "object");
  if (!object) throw std::runtime_error("object is missing");
  if (type == EventType::Error) {
    event.status = read_status(*object);
  } else if (type == EventType::Bookmark) {
    read_bookmark(*object, event);
  } else {
    read(*object, event.object);
    event.resource_version = event.object.resource_version;
  }
  event.type = type;  // last: an event that could not be read stays Malformed
}

Error malformed(std::string_view what) { return {Fault::Malformed, std::string(what)}; }

/// What is wrong with an object, and with which, as far as its name could be read.
template <typename T>
std::string complaint(const T& object, const std::runtime_error& problem) {
  if (object.name.empty()) return problem.what();
  return std::string(T::kind()) + " " + object.key() + ": " + problem.what();
}

/// The beginning of a text from outside, fit for a log line.
std::string printable(std::string_view text) {
  constexpr std::size_t shown = 200;
  std::string result(text.substr(0, shown));
  while (result.ends_with('\n')) result.pop_back();
  std::ranges::replace_if(
      result, [](char character) { return character < ' ' || character > '~'; }, '?');
  return result;
}

}  // namespace

template <typename T>
struct Decoder<T>::Parser {
  simdjson::dom::parser parser;

  /// Copies the text into a buffer with the padding that the parser needs behind it.
  Json parse(std::string_view text) {
    Json root;
    const auto error = parser.parse(text.data(), text.size(), true).get(root);
    if (error != simdjson::SUCCESS) throw std::runtime_error(simdjson::error_message(error));
    return root;
  }
};

template <typename T>
Decoder<T>::Decoder() : parser_(std::make_unique<Parser>()) {}
template <typename T>
Decoder<T>::Decoder(Decoder&&) noexcept = default;
template <typename T>
Decoder<T>::~Decoder() = default;

template <typename T>
Result<T> Decoder<T>::object(std::string_view body) {
  T object;
  try {
    read(parser_->parse(body), object);
  } catch (const std::runtime_error& problem) {
    return malformed(complaint(object, problem));
  }
  return object;
}

template <typename T>
Result<ListPage<T>> Decoder<T>::list(std::string_view body) try {
  const Json root = parser_->parse(body);
  if (!text(root, "kind").ends_with("List")) {
    return malformed("expected a list, got kind \"" + std::string(text(root, "kind")) + "\"");
  }
  ListPage<T> page;
  if (const std::optional<Json> metadata = field(root, "metadata")) {
    page.resource_version = text(*metadata, "resourceVersion");
    page.continue_token = text(*metadata, "continue");
  }
  std::size_t index = 0;
  each(root, "items", [&](Json item) {
    T object;
    try {
      read(item, object);
      page.items.push_back(std::move(object));
    } catch (const std::runtime_error& problem) {
      page.malformed.push_back("item " + std::to_string(index) + ": " + complaint(object, problem));
    }
    ++index;
  });
  return page;
} catch (const std::runtime_error& problem) {
  return malformed(problem.what());
}

template <typename T>
WatchEvent<T> Decoder<T>::watch_event(std::string_view line) {
  WatchEvent<T> event;
  try {
    read_event(parser_->parse(line), event);
  } catch (const std::runtime_error& problem) {
    event.problem = complaint(event.object, problem);
  }
  return event;
}

Status decode_status(std::string_view body) {
  try {
    simdjson::dom::parser parser;
    Json root;
    if (parser.parse(body.data(), body.size(), true).get(root) == simdjson::SUCCESS &&
        text(root, "kind") == "Status") {
      return read_status(root);
    }
  } catch (const std::runtime_error&) {
    // Not a Status after all: fall through to the plain text.
  }
  Status status;
  status.message = printable(body);
  return status;
}

template class Decoder<Node>;
template class Decoder<NodeLease>;
template class Decoder<Pod>;

}  // namespace nlc::api

#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "api/decode.h"
#include "api/patches.h"
#include "informer/packed_objects.h"
#include "rule.h"

/// What holds for objects of T whatever bytes they were decoded from.
namespace nlc::bytes {

template <typename T>
void check_packing(const T& object) {
  informer::TextPool texts;
  informer::Packed<T> packed;
  packed.set(object, texts);
  T back;
  packed.get(back);
  must_hold(back == object, "what a store keeps of an object is the object");
}

/// What is written of an object is JSON, and says what was read.
inline void check_writes(const api::Node& node) {
  const api::Precondition on{.uid = node.uid, .resource_version = node.resource_version};
  nlohmann::json written = nlohmann::json::parse(api::node_taints_patch(on, node.taints));
  written["metadata"]["name"] = "n";
  const Result<api::Node> back = api::Decoder<api::Node>().object(written.dump());
  must_hold(static_cast<bool>(back), "taints that were read can be written and read again");
  must_hold(back->taints.size() == node.taints.size(), "no taint is lost in writing them");
  for (std::size_t i = 0; i < node.taints.size(); ++i) {
    const api::Taint& read = node.taints[i];
    const api::Taint& again = back->taints[i];
    must_hold(again.key == read.key && again.value == read.value && again.effect == read.effect,
              "a taint is written as it was read");
    must_hold(again.time_added.has_value() == read.time_added.has_value(),
              "the time of a taint is written where it was read");
  }
  must_hold(nlohmann::json::accept(api::node_conditions_patch(on, node.conditions)) &&
                nlohmann::json::accept(api::node_labels_patch(on, node.labels)),
            "what is written of a node is JSON");
}
inline void check_writes(const api::Pod& pod) {
  const api::Precondition on{.uid = pod.uid, .resource_version = pod.resource_version};
  must_hold(nlohmann::json::accept(api::delete_options(on)), "what is written of a pod is JSON");
}
inline void check_writes(const api::NodeLease&) {}
inline void check_writes(const api::ConfigMap&) {}

template <typename T>
void check_object(const T& object) {
  must_hold(!object.name.empty(), "an object has a name");
  check_packing(object);
  check_writes(object);
}

template <typename T>
void check_event(api::Decoder<T>& decoder, std::string_view bytes, api::WatchEvent<T>& used) {
  decoder.watch_event(bytes, used);
  const api::WatchEvent<T> fresh = decoder.watch_event(bytes);
  must_hold(used.type == fresh.type && used.object == fresh.object &&
                used.resource_version == fresh.resource_version && used.problem == fresh.problem &&
                used.ends_initial_events == fresh.ends_initial_events &&
                used.tells_of_object == fresh.tells_of_object &&
                used.status.message == fresh.status.message,
            "nothing of the event before is left in an event");
  must_hold(used.type != api::EventType::Malformed || !used.problem.empty(),
            "of what cannot be read it is said why");
  if (api::shows_object(used.type)) check_object(used.object);
}

/// Reads `bytes` as an object of T, a list of them and an event about one.
template <typename T>
void read_as(api::Encoding encoding, std::string_view bytes) {
  api::Decoder<T> decoder(encoding);
  if (const Result<T> object = decoder.object(bytes)) check_object(*object);
  if (const Result<api::ListPage<T>> page = decoder.list(bytes)) {
    must_hold(!page->resource_version.empty(), "a list has a version");
    for (const T& item : page->items) check_object(item);
  }
  api::WatchEvent<T> event;
  check_event(decoder, bytes, event);
  // Once more, into what the first one left behind.
  check_event(decoder, bytes.substr(0, bytes.size() - bytes.size() / 4), event);
  check_event(decoder, bytes, event);
}

inline void read_as_every_kind(api::Encoding encoding, std::string_view bytes) {
  read_as<api::Node>(encoding, bytes);
  read_as<api::NodeLease>(encoding, bytes);
  read_as<api::Pod>(encoding, bytes);
  read_as<api::ConfigMap>(encoding, bytes);
}

}  // namespace nlc::bytes

#include "sim/scenario/stage/change_log.h"

#include <algorithm>

#include "controller/zones/zone.h"
#include "sim/apiserver/types/json_text.h"
#include "sim/rules/node_facts.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

bool is_evicted(const api::Node& node) {
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    if (node.taint(key, "NoExecute") != nullptr) return true;
  }
  return false;
}

bool is_ending(const HistoryEvent& event) {
  const auto ends = [](const ObjectRef& pod) {
    return pod && pod->bytes.find("\"deletionTimestamp\"") != std::string::npos;
  };
  return !ends(event.previous) && (event.change == Change::Deleted || ends(event.object));
}

long long count_in(const Json& event) { return event.value("count", 1LL); }

}  // namespace

ChangeLog::ChangeLog(const Storage& storage, Options options)
    : storage_(storage), options_(options) {
  begin_anew();
}

void ChangeLog::begin_anew() {
  version_ = storage_.version();
  storage_.visit(core_resource("pods"), {"", "", 0}, [this](const ObjectRef& pod) {
    pods_.insert(pod->key);
    return true;
  });
}

void ChangeLog::catch_up(Author author) {
  if (storage_.version() == version_) return;
  read_nodes(author);
  read_pods(author);
  if (author == Author::Controller) read_events();
  version_ = storage_.version();
}

void ChangeLog::read_nodes(Author author) {
  if (author != Author::Controller || options_.legacy) return;
  storage_.visit_history(core_resource("nodes"), version_, [this](const HistoryEvent& event) {
    if (event.change == Change::Deleted) return;
    if (event.object->bytes.find("NoExecute") == std::string::npos) return;  // spares decoding
    const std::optional<api::Node> before = rules::decoded<api::Node>(event.previous);
    const std::optional<api::Node> after = rules::decoded<api::Node>(event.object);
    if (!after || !is_evicted(*after) || (before && is_evicted(*before))) return;
    evictions_.push_back(
        {.node = event.object->key, .zone = controller::zone_key(*after), .at = event.at});
  });
}

void ChangeLog::read_pods(Author author) {
  storage_.visit_history(
      core_resource("pods"), version_, [this, author](const HistoryEvent& event) {
        pods_.insert(event.object->key);
        if (author != Author::Controller || !is_ending(event)) return;
        const std::string node(storage_.node_name(event.object->node));
        pods_evicted_.push_back({.key = event.object->key, .node = node, .at = event.at});
        if (options_.legacy) note_legacy_eviction(node, event.at);
      });
}

void ChangeLog::note_legacy_eviction(const std::string& name, Instant at) {
  const bool known = std::ranges::any_of(
      evictions_, [&](const Eviction& eviction) { return eviction.node == name; });
  if (known) return;
  const std::optional<api::Node> node =
      rules::decoded<api::Node>(storage_.find(core_resource("nodes"), name));
  evictions_.push_back({.node = name, .zone = node ? controller::zone_key(*node) : "", .at = at});
}

void ChangeLog::read_events() {
  storage_.visit_history(core_resource("events"), version_, [this](const HistoryEvent& event) {
    if (event.change == Change::Deleted) return;
    Json now = parse_json(event.object->bytes);
    const long long before = event.previous ? count_in(parse_json(event.previous->bytes)) : 0;
    const long long grown = count_in(now) - before;
    if (grown > 0)
      events_.push_back({.event = std::move(now), .occurrences = grown, .at = event.at});
  });
}

}  // namespace nlc::sim::scenario

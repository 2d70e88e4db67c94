#include "sim/rules/returned_objects.h"

#include <algorithm>

#include "sim/rules/node_facts.h"

namespace nlc::sim::rules {

void ReturnedObjects::note_deleted_pods(std::uint64_t version) {
  storage_.visit_history(core_resource("pods"), version, [this](const HistoryEvent& event) {
    if (event.change != Change::Deleted) return;
    if (const auto pod = decoded<api::Pod>(event.object)) deleted_pods_[pod->uid] = pod->key();
  });
}

bool ReturnedObjects::any_pod() const {
  return std::ranges::any_of(deleted_pods_, [this](const auto& deleted) {
    const auto& [uid, key] = deleted;
    const auto pod = decoded<api::Pod>(storage_.find(core_resource("pods"), key));
    return pod && pod->uid == uid;
  });
}

bool ReturnedObjects::any_node(Instant now) const {
  return std::ranges::any_of(nodes_, [&](const auto& known) {
    const auto& [name, seen] = known;
    const bool was_gone = seen.gone_since && *seen.gone_since < now;
    return was_gone && storage_.find(core_resource("nodes"), name) != nullptr;
  });
}

}  // namespace nlc::sim::rules

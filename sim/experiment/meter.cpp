#include "sim/experiment/meter.h"

#include <algorithm>
#include <utility>

#include "api/decode.h"

namespace nlc::sim::experiment {
namespace {

/// What the write that was just taken changed; nothing when it left everything as it was.
std::optional<HistoryEvent> change_in(const Storage& storage, const Resource& resource) {
  std::optional<HistoryEvent> change;
  storage.visit_history(resource, storage.version() - 1,
                        [&](const HistoryEvent& event) { change = event; });
  return change;
}

api::Node node_in(const ObjectRef& object) {
  Result<api::Node> node = api::Decoder<api::Node>().object(object->bytes);
  return node ? std::move(*node) : api::Node{};
}

bool is_leaving(const ObjectRef& pod) {
  return pod->bytes.find("\"deletionTimestamp\"") != std::string::npos;
}

}  // namespace

Meter::Meter(const std::vector<std::string>& nodes, Span span) : span_(std::move(span)) {
  for (const std::string& node : nodes) nodes_[node].last_heartbeat = span_.start;
}

void Meter::on_heartbeat(const scenario::HeartbeatSent& heartbeat) {
  NodeState& node = nodes_[heartbeat.node];
  const bool last = heartbeat.last && !span_.endless.contains(heartbeat.step);
  const bool comes_back = heartbeat.arrived || !last;
  if (comes_back && node.live_steps.empty()) close_silence(heartbeat.node, node, heartbeat.at);
  if (heartbeat.arrived) {
    node.last_heartbeat = heartbeat.at;
    node.marked = {};
  }
  if (last) {
    node.live_steps.erase(heartbeat.step);
  } else {
    node.live_steps.insert(heartbeat.step);
  }
}

/// Only silence beyond the grace is one to which anything was due.
void Meter::close_silence(const std::string& name, const NodeState& node, Instant until) {
  if (until - node.last_heartbeat <= span_.grace) return;
  measures_.deaths.push_back({.node = name, .after = node.marked});
}

void Meter::on_write(const scenario::SentRequest& request, const Storage& storage) {
  ++measures_.api_writes;
  if (request.info.known == nullptr) return;
  const bool of_node = request.info.resource == "nodes";
  if (!of_node && request.info.resource != "pods") return;
  const std::optional<HistoryEvent> change = change_in(storage, *request.info.known);
  if (!change || !change->previous) return;
  if (of_node) {
    note_node(*change);
  } else if (request.verb == "DELETE") {
    note_pod(*change, storage);
  }
}

void Meter::note_node(const HistoryEvent& change) {
  report::NodeFacts before = report::facts_of(node_in(change.previous));
  const api::Node node = node_in(change.object);
  // Of a node that never reported, too, the first Unknown is news.
  if (!before.ready) before.ready = api::ConditionStatus::True;
  for (const Moment moment : report::moments_between(before, report::facts_of(node))) {
    if (std::ranges::find(marks, moment) != marks.end()) mark(node.name, moment, change.at);
    if (moment == Moment::NoExecute) ++measures_.evictions;
    const bool alive = !nodes_[node.name].live_steps.empty();
    if (moment == Moment::Unknown && alive) ++measures_.false_positives;
  }
}

/// A graceful deletion leaves the pod there, to be removed by a kubelet that will never come.
void Meter::note_pod(const HistoryEvent& change, const Storage& storage) {
  if (is_leaving(change.previous)) return;
  ++measures_.pods_deleted;
  mark(std::string(storage.node_name(change.previous->node)), Moment::PodMarked, change.at);
}

void Meter::mark(const std::string& name, Moment moment, Instant at) {
  NodeState& node = nodes_[name];
  node.marked[index_of(moment)] = at - node.last_heartbeat;
}

Measures Meter::finish(Instant end) && {
  for (auto& [name, node] : nodes_) {
    if (node.live_steps.empty()) close_silence(name, node, end);
  }
  return std::move(measures_);
}

}  // namespace nlc::sim::experiment

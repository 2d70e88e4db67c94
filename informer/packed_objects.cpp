#include "informer/packed_objects.h"

#include <string>

#include "informer/packing.h"

namespace nlc::informer {
namespace {

void get_name(std::string& place, const SharedText& text) { place = text.view(); }

void put(SharedText& place, const Packing& packing, TextPool& texts) {
  texts.put(place, packing.bytes());
}
/// For what no other object says.
void put(SharedText& place, std::string_view text) {
  if (place.view() != text) place = SharedText(text);
}

void pack(Packing& packing, const api::Taint& taint) {
  packing.text(taint.key);
  packing.text(taint.value);
  packing.text(taint.effect);
  packing.time(taint.time_added);
}
api::Taint unpack_taint(Unpacking& bytes) {
  api::Taint taint;
  taint.key = bytes.text();
  taint.value = bytes.text();
  taint.effect = bytes.text();
  taint.time_added = bytes.time();
  return taint;
}

void pack(Packing& packing, const api::Toleration& toleration) {
  packing.text(toleration.key);
  packing.text(toleration.operator_);
  packing.text(toleration.value);
  packing.text(toleration.effect);
  packing.number(toleration.seconds ? 1 : 0);
  if (toleration.seconds) packing.number(static_cast<std::uint64_t>(*toleration.seconds));
}
api::Toleration unpack_toleration(Unpacking& bytes) {
  api::Toleration toleration;
  toleration.key = bytes.text();
  toleration.operator_ = bytes.text();
  toleration.value = bytes.text();
  toleration.effect = bytes.text();
  if (bytes.number() != 0) toleration.seconds = static_cast<std::int64_t>(bytes.number());
  return toleration;
}

/// Most labels are those of many nodes, but for the one that is the node's name: told apart from
/// the others they are kept once.
void pack_label(Packing& packing, std::string_view name, const std::string& key,
                const std::string& value) {
  const bool is_name = value == name;
  packing.text(key);
  packing.number(is_name ? 1 : 0);
  if (!is_name) packing.text(value);
}
void unpack_labels(std::string_view packed, std::string_view name, api::Labels& labels) {
  labels.clear();
  for (Unpacking bytes(packed); !bytes.is_over();) {
    const std::string_view key = bytes.text();
    const bool is_name = bytes.number() != 0;
    labels.emplace_back(key, is_name ? name : bytes.text());
  }
}

/// The words of a condition: all of it but its times.
template <typename Condition>
void pack_words(Packing& packing, const Condition& condition) {
  packing.number(static_cast<std::uint64_t>(condition.status));
  packing.text(condition.reason);
  packing.text(condition.message);
}
template <typename Condition>
void unpack_words(Unpacking& bytes, Condition& condition) {
  condition.status = static_cast<api::ConditionStatus>(bytes.number());
  condition.reason = bytes.text();
  condition.message = bytes.text();
}

}  // namespace

void PackedNode::set(const api::Node& node, TextPool& texts) {
  texts.put(key_, node.name);
  identity_.set(node.uid, node.resource_version);
  created_ = packed_time(node.created);
  deleting_ = node.deleting;
  unschedulable_ = node.unschedulable;
  Packing labels;
  for (const auto& [key, value] : node.labels) pack_label(labels, node.name, key, value);
  put(labels_, labels, texts);
  texts.put(pause_, node.pause);
  Packing taints;
  for (const api::Taint& taint : node.taints) pack(taints, taint);
  put(taints_, taints.bytes());
  Packing words;
  Packing heartbeats;
  Packing transitions;
  for (const api::NodeCondition& condition : node.conditions) {
    words.text(condition.type);
    pack_words(words, condition);
    heartbeats.time(condition.last_heartbeat);
    transitions.time(condition.last_transition);
  }
  put(condition_words_, words, texts);
  Packing times;
  times.text(heartbeats.bytes());
  times.text(transitions.bytes());
  put(condition_times_, node.conditions.empty() ? std::string_view() : times.bytes());
}

void PackedNode::get(api::Node& node) const {
  get_name(node.name, key_);
  identity_.get(node.uid, node.resource_version);
  node.created = unpacked_time(created_);
  node.deleting = deleting_;
  node.unschedulable = unschedulable_;
  unpack_labels(labels_.view(), key(), node.labels);
  node.pause = pause_.view();
  node.taints.clear();
  for (Unpacking taints(taints_.view()); !taints.is_over();) {
    node.taints.push_back(unpack_taint(taints));
  }
  node.conditions.clear();
  if (condition_words_.empty()) return;
  Unpacking times(condition_times_.view());
  Unpacking heartbeats(times.text());
  Unpacking transitions(times.text());
  for (Unpacking words(condition_words_.view()); !words.is_over();) {
    api::NodeCondition& condition = node.conditions.emplace_back();
    condition.type = words.text();
    unpack_words(words, condition);
    condition.last_heartbeat = heartbeats.time();
    condition.last_transition = transitions.time();
  }
}

void PackedLease::set(const api::NodeLease& lease, TextPool& texts) {
  texts.put(key_, lease.name);
  identity_.set(lease.uid, lease.resource_version);
  renewed_ = packed_time(lease.renewed);
}

void PackedLease::get(api::NodeLease& lease) const {
  get_name(lease.name, key_);
  identity_.get(lease.uid, lease.resource_version);
  lease.renewed = unpacked_time(renewed_);
}

void PackedPod::set(const api::Pod& pod, TextPool& texts) {
  texts.put(namespace_, pod.namespace_);
  put(name_, pod.name);
  texts.put(node_name_, pod.node_name);
  identity_.set(pod.uid, pod.resource_version);
  generation_ = pod.generation;
  deleting_ = pod.deleting;
  finished_ = pod.finished;
  daemon_ = pod.daemon;
  lost_ = pod.lost;
  bound_ = packed_seconds(pod.bound);
  Packing tolerations;
  for (const api::Toleration& toleration : pod.tolerations) pack(tolerations, toleration);
  put(tolerations_, tolerations, texts);
  Packing words;
  ready_since_ = pod.ready ? packed_time(pod.ready->last_transition) : no_time;
  words.number(pod.ready ? 1 : 0);
  if (pod.ready) pack_words(words, *pod.ready);
  words.number(pod.disruption_target ? 1 : 0);
  if (pod.disruption_target) {
    pack_words(words, *pod.disruption_target);
    words.time(pod.disruption_target->last_transition);
  }
  put(condition_words_, words, texts);
}

void PackedPod::get(api::Pod& pod) const {
  get_name(pod.namespace_, namespace_);
  get_name(pod.name, name_);
  get_name(pod.node_name, node_name_);
  identity_.get(pod.uid, pod.resource_version);
  pod.generation = generation_;
  pod.deleting = deleting_;
  pod.finished = finished_;
  pod.daemon = daemon_;
  pod.lost = lost_;
  pod.bound = unpacked_seconds(bound_);
  pod.tolerations.clear();
  for (Unpacking tolerations(tolerations_.view()); !tolerations.is_over();) {
    pod.tolerations.push_back(unpack_toleration(tolerations));
  }
  pod.ready.reset();
  pod.disruption_target.reset();
  Unpacking words(condition_words_.view());
  if (words.is_over()) return;
  if (words.number() != 0) {
    unpack_words(words, pod.ready.emplace());
    pod.ready->last_transition = unpacked_time(ready_since_);
  }
  if (words.number() != 0) {
    unpack_words(words, pod.disruption_target.emplace());
    pod.disruption_target->last_transition = words.time();
  }
}

void PackedConfigMap::set(const api::ConfigMap& config, TextPool& texts) {
  config_ = config;
  texts.put(key_, config.key());
  identity_.set(config.uid, config.resource_version);
}

std::size_t PackedPod::hash_of(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return hash_of(key, {});
  return hash_of(key.substr(0, slash), key.substr(slash + 1));
}

bool PackedPod::has_key(std::string_view key) const {
  const std::string_view namespace_text = namespace_.view();
  const std::string_view name = name_.view();
  return key.size() == namespace_text.size() + 1 + name.size() && key.starts_with(namespace_text) &&
         key[namespace_text.size()] == '/' && key.ends_with(name);
}

}  // namespace nlc::informer

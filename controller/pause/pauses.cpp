#include "controller/pause/pauses.h"

#include "controller/zones/zone.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

constexpr std::string_view not_read_yet = "what the operator's ConfigMap says is not known yet";

}  // namespace

Pause Pauses::of(Slot node) const {
  if (planted("pause-overlooked")) return Pause::None;
  return node < nodes_.size() ? nodes_[node].pause() : everything_;
}

Pause Pauses::of_everything() const {
  return planted("pause-overlooked") ? Pause::None : everything_;
}

Pause Pauses::of_gone() const { return planted("pause-overlooked") ? Pause::None : gone_; }

void Pauses::node_stored(Slot slot, const api::Node& node, const api::Node* before) {
  if (slot >= nodes_.size()) nodes_.resize(view_.nodes.slot_count());
  const bool same = before != nullptr && before->uid == node.uid;
  Known known{.there = true, .ordered = nodes_[slot].ordered, .annotated = nodes_[slot].annotated};
  if (!same || before->labels != node.labels) known.ordered = ordered(node);
  if (!same || before->pause != node.pause) {
    known.annotated = annotated(slot, node, same ? before : nullptr);
  }
  set(slot, known);
}

void Pauses::node_removed(Slot slot) {
  set(slot, {});
  unreadable_.erase(slot);
  std::erase(annotated_, slot);
}

void Pauses::follow(const OperatorPolicy& policy, bool known) {
  orders_ = policy.pauses;
  known_ = known;
  everything_ = known ? Pause::None : Pause::Evictions;
  for (const PauseOrder& order : orders_) {
    if (order.of == PauseOrder::Of::Everything) everything_ = std::max(everything_, order.pause);
  }
  gone_ = everything_;
  for (const PauseOrder& order : orders_) gone_ = std::max(gone_, order.pause);
  view_.nodes.each_slot([this](Slot slot) {
    const bool told = slot < nodes_.size() && nodes_[slot].there;
    if (!told) return;  // it is about to be told of
    Known now = nodes_[slot];
    now.ordered = orders_.empty() ? everything_ : ordered(view_.nodes.at(slot));
    set(slot, now);
  });
}

Pause Pauses::ordered(const api::Node& node) const {
  Pause most = everything_;
  if (orders_.empty()) return most;
  const std::string zone = zone_name(zone_key(node));
  for (const PauseOrder& order : orders_) {
    if (order.pause > most && order.is_about(zone, node.labels)) most = order.pause;
  }
  return most;
}

Pause Pauses::annotated(Slot slot, const api::Node& node, const api::Node* before) {
  unreadable_.erase(slot);
  if (before != nullptr || !node.pause.empty()) annotated_.push_back(slot);
  if (node.pause.empty()) return Pause::None;
  if (const std::optional<Pause> pause = pause_named(node.pause)) return *pause;
  unreadable_.insert(slot);
  return before == nullptr ? Pause::Evictions : std::max(Pause::Evictions, nodes_[slot].annotated);
}

void Pauses::set(Slot slot, Known known) {
  Known& place = nodes_[slot];
  const Pause before = place.pause();
  if (place.there) --counts_[static_cast<std::size_t>(before)];
  place = known;
  if (known.there) ++counts_[static_cast<std::size_t>(known.pause())];
  if (before != known.pause()) changes_.push_back({slot, before, known.pause()});
}

std::string Pauses::everything_paused_by() const {
  for (const PauseOrder& order : orders_) {
    const bool decides = order.of == PauseOrder::Of::Everything && order.pause == everything_;
    if (decides) return "pause: " + order.text;
  }
  return known_ ? std::string() : std::string(not_read_yet);
}

std::string Pauses::gone_paused_by() const {
  for (const PauseOrder& order : orders_) {
    if (order.pause == gone_) return "pause: " + order.text;
  }
  return everything_paused_by();
}

std::string Pauses::zone_paused_by(std::string_view zone) const {
  const PauseOrder* most = nullptr;
  for (const PauseOrder& order : orders_) {
    const bool of_nodes = order.of == PauseOrder::Of::Nodes;
    if (of_nodes || !order.is_about(zone, {})) continue;
    if (most == nullptr || order.pause > most->pause) most = &order;
  }
  return most == nullptr ? everything_paused_by() : "pause: " + most->text;
}

std::string Pauses::paused_by(Slot node) const {
  const Pause pause = of(node);
  if (pause == Pause::None) return {};
  const api::Node seen = view_.nodes.at(node);
  const std::string zone = zone_name(zone_key(seen));
  for (const PauseOrder& order : orders_) {
    if (order.pause == pause && order.is_about(zone, seen.labels)) return "pause: " + order.text;
  }
  if (nodes_[node].annotated == pause) {
    return "annotation " + std::string(api::annotation::pause) + ": " + seen.pause;
  }
  return everything_paused_by();
}

}  // namespace nlc::controller

#include "controller/pause/pauses.h"

#include "controller/zones/zone.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

constexpr std::string_view not_read_yet = "what the operator's ConfigMap says is not known yet";

std::string said_by(const PauseOrder& order) {
  return "the operator's ConfigMap, pause: " + order.text;
}

}  // namespace

Pause Pauses::of(Slot node) const {
  if (planted("pause-overlooked")) return Pause::None;
  return node < nodes_.size() ? nodes_[node].pause() : orders_.everything;
}

Pause Pauses::of_everything() const {
  return planted("pause-overlooked") ? Pause::None : orders_.everything;
}

Pause Pauses::of_gone() const { return planted("pause-overlooked") ? Pause::None : gone_; }

void Pauses::node_stored(Slot slot, const api::Node& node, const api::Node* before) {
  if (slot >= nodes_.size()) nodes_.resize(view_.nodes.slot_count());
  const bool same = before != nullptr && before->uid == node.uid;
  Known known{.there = true, .ordered = nodes_[slot].ordered, .annotated = nodes_[slot].annotated};
  if (!same || before->labels != node.labels) {
    known.ordered = orders_.of(node);
    nodes_changed_ = true;
  }
  if (!same || before->pause != node.pause) {
    known.annotated = annotated(slot, node, same ? before : nullptr);
  }
  set(slot, known);
}

void Pauses::node_removed(Slot slot) {
  set(slot, {});
  nodes_changed_ = true;
  unreadable_.erase(slot);
  std::erase(annotated_, slot);
}

void Pauses::follow(const OperatorPolicy& policy, bool known) {
  known_ = known;
  orders_ = {.everything = known ? Pause::None : Pause::Evictions, .all = policy.pauses};
  for (const PauseOrder& order : orders_.all) {
    const bool of_all = order.of == PauseOrder::Of::Everything;
    if (of_all) orders_.everything = std::max(orders_.everything, order.pause);
  }
  gone_ = orders_.everything;
  for (const PauseOrder& order : orders_.all) gone_ = std::max(gone_, order.pause);
  view_.nodes.each_slot([this](Slot slot) {
    const bool told = slot < nodes_.size() && nodes_[slot].there;
    if (!told) return;  // it is about to be told of
    Known now = nodes_[slot];
    now.ordered = orders_.all.empty() ? orders_.everything : orders_.of(view_.nodes.at(slot));
    set(slot, now);
  });
}

Pause Pauses::Orders::of(const api::Node& node) const {
  Pause most = everything;
  if (all.empty()) return most;
  const std::string zone = zone_name(zone_key(node));
  for (const PauseOrder& order : all) {
    if (order.pause > most && order.is_about(zone, node.labels)) most = order.pause;
  }
  return most;
}

void Pauses::remember_orders() {
  remembered_.everything = std::max(remembered_.everything, orders_.everything);
  for (const PauseOrder& order : orders_.all) {
    const auto same = [&](const PauseOrder& other) { return other.text == order.text; };
    if (std::ranges::none_of(remembered_.all, same)) remembered_.all.push_back(order);
  }
}

bool Pauses::was_ordered(Slot node) const {
  return remembered_.of(view_.nodes.at(node)) >= Pause::Evictions;
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
  for (const PauseOrder& order : orders_.all) {
    const bool decides =
        order.of == PauseOrder::Of::Everything && order.pause == orders_.everything;
    if (decides) return said_by(order);
  }
  return known_ ? std::string() : std::string(not_read_yet);
}

std::string Pauses::gone_paused_by() const {
  for (const PauseOrder& order : orders_.all) {
    if (order.pause == gone_) return said_by(order);
  }
  return everything_paused_by();
}

std::string Pauses::zone_paused_by(std::string_view zone) const {
  const PauseOrder* most = nullptr;
  for (const PauseOrder& order : orders_.all) {
    const bool of_nodes = order.of == PauseOrder::Of::Nodes;
    if (of_nodes || !order.is_about(zone, {})) continue;
    if (most == nullptr || order.pause > most->pause) most = &order;
  }
  return most == nullptr ? everything_paused_by() : said_by(*most);
}

std::string Pauses::paused_by(Slot node) const {
  const Pause pause = of(node);
  if (pause == Pause::None) return {};
  const api::Node seen = view_.nodes.at(node);
  const std::string zone = zone_name(zone_key(seen));
  for (const PauseOrder& order : orders_.all) {
    if (order.pause == pause && order.is_about(zone, seen.labels)) return said_by(order);
  }
  if (nodes_[node].annotated == pause) {
    std::string by = "annotation " + std::string(api::annotation::pause);
    if (!is_readable(node)) by.append(", for it cannot be read and must be ").append(pause_words);
    return by + ": " + seen.pause;
  }
  return everything_paused_by();
}

}  // namespace nlc::controller

#include "sim/scenario/model/chance.h"

#include <utility>

namespace nlc::sim::scenario {
namespace {

/// Neighbouring seeds, steps and nodes get streams that have nothing to do with each other.
Random stream_of(const Beats::Source& source) {
  Random run(source.seed);
  Random step(run.next() + source.step);
  return Random(step.next() + source.node);
}

}  // namespace

const std::vector<std::string>& beating_nodes(const Step& step) {
  static const std::vector<std::string> nobody;
  if (const auto* heartbeat = std::get_if<Heartbeat>(&step.action)) return heartbeat->nodes;
  if (const auto* renewal = std::get_if<RenewLease>(&step.action)) return renewal->nodes;
  return nobody;
}

const Chance& chance_of(const Step& step) {
  static const Chance none;
  if (const auto* heartbeat = std::get_if<Heartbeat>(&step.action)) return heartbeat->chance;
  if (const auto* renewal = std::get_if<RenewLease>(&step.action)) return renewal->chance;
  return none;
}

bool is_by_node(const Step& step) {
  const auto* heartbeat = std::get_if<Heartbeat>(&step.action);
  return chance_of(step).matters() || (heartbeat != nullptr && heartbeat->only_changes);
}

Beats::Beats(const Step& step, Source source)
    : chance_(chance_of(step)),
      every_(step.every),
      until_(step.every ? step.until : step.from + chance_.jitter),
      random_(stream_of(source)),
      due_(step.from) {
  if (every_ && chance_.jitter > Duration{0}) due_ += random_.between(Duration{0}, *every_);
  coming_ = draw();
}

std::optional<Beat> Beats::next() {
  std::optional<Beat> beat = coming_;
  if (!beat) return beat;
  coming_ = every_ ? draw() : std::nullopt;
  beat->last = !coming_;
  return beat;
}

std::optional<Beat> Beats::draw() {
  const Duration late = random_.between(Duration{0}, chance_.jitter);
  const Beat beat{.at = due_ + late, .lost = random_.fraction() < chance_.loss};
  if (beat.at > until_) return std::nullopt;
  if (every_) due_ += *every_;
  return beat;
}

}  // namespace nlc::sim::scenario

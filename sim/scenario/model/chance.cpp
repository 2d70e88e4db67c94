#include "sim/scenario/model/chance.h"

namespace nlc::sim::scenario {
namespace {

/// Neighbouring seeds, steps and nodes get streams that have nothing to do with each other.
Random stream_of(const HeartbeatSchedule::Source& source) {
  Random run(source.seed);
  Random step(run.next() + source.step);
  return Random(step.next() + source.node);
}

}  // namespace

const std::vector<std::string>& heartbeat_nodes(const Step& step) {
  static const std::vector<std::string> nobody;
  if (const auto* heartbeat = step.as<Heartbeat>()) return heartbeat->nodes;
  if (const auto* renewal = step.as<RenewLease>()) return renewal->nodes;
  return nobody;
}

const Chance& chance_of(const Step& step) {
  static const Chance none;
  if (const auto* heartbeat = step.as<Heartbeat>()) return heartbeat->chance;
  if (const auto* renewal = step.as<RenewLease>()) return renewal->chance;
  return none;
}

bool is_by_node(const Step& step) {
  const auto* heartbeat = step.as<Heartbeat>();
  return chance_of(step).matters() || (heartbeat != nullptr && heartbeat->only_changes);
}

HeartbeatSchedule::HeartbeatSchedule(const Step& step, Source source)
    : chance_(chance_of(step)),
      every_(step.every),
      until_(step.every ? step.until : step.from + chance_.jitter),
      random_(stream_of(source)),
      due_(step.from) {
  if (every_ && chance_.jitter > Duration{0}) due_ += random_.between(Duration{0}, *every_);
  coming_ = draw();
}

std::optional<TimedHeartbeat> HeartbeatSchedule::next() {
  std::optional<TimedHeartbeat> heartbeat = coming_;
  if (!heartbeat) return heartbeat;
  coming_ = every_ ? draw() : std::nullopt;
  heartbeat->last = !coming_;
  return heartbeat;
}

std::optional<TimedHeartbeat> HeartbeatSchedule::draw() {
  const Duration late = random_.between(Duration{0}, chance_.jitter);
  const TimedHeartbeat heartbeat{.at = due_ + late, .lost = random_.fraction() < chance_.loss};
  if (heartbeat.at > until_) return std::nullopt;
  if (every_) due_ += *every_;
  return heartbeat;
}

}  // namespace nlc::sim::scenario

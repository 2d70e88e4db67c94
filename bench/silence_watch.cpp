#include "bench/silence_watch.h"

#include <utility>

#include "client/resources.h"

namespace nlc::bench {
namespace {

template <typename T>
Lifeline open(client::Transport& transport, client::WatchListener<T>& listener) {
  // What is timed must not wait to be read.
  return transport.watch(
      {.target = std::string(client::collection_of<T>()) + "?watch=true", .batching = Duration{0}},
      std::make_unique<client::WatchReader<T>>(listener));
}

template <typename T>
bool holds_object(const api::WatchEvent<T>& event) {
  return event.type == api::EventType::Added || event.type == api::EventType::Modified;
}

}  // namespace

SilenceWatch::SilenceWatch(client::Transport& transport, const Clock& clock) : clock_(clock) {
  node_stream_ = open<api::Node>(transport, *this);
  lease_stream_ = open<api::NodeLease>(transport, *this);
}

void SilenceWatch::on_events(std::span<api::WatchEvent<api::Node>> batch) {
  const Instant now = clock_.now();
  for (const api::WatchEvent<api::Node>& event : batch) {
    if (holds_object(event)) look_at(event.object, now);
  }
}

/// The controller's own write moves no heartbeat: it says Unknown and leaves the time as it was.
void SilenceWatch::look_at(const api::Node& node, Instant now) {
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  if (ready == nullptr) return;
  Seen& seen = nodes_[node.name];
  if (ready->status == api::ConditionStatus::Unknown) {
    if (!seen.unknown) ++unknown_count_;
    if (!seen.unknown) seen.unknown = now;
  } else if (ready->last_heartbeat != seen.reported) {
    seen.reported = ready->last_heartbeat;
    seen.last_beat = now;
  }
}

void SilenceWatch::on_events(std::span<api::WatchEvent<api::NodeLease>> batch) {
  const Instant now = clock_.now();
  for (const api::WatchEvent<api::NodeLease>& event : batch) {
    if (!holds_object(event)) continue;
    Seen& seen = nodes_[event.object.name];
    if (event.object.renewed == seen.renewed) continue;
    seen.renewed = event.object.renewed;
    seen.last_beat = now;
  }
}

std::vector<SilenceWatch::Silence> SilenceWatch::silences() const {
  std::vector<Silence> silences;
  for (const auto& [name, seen] : nodes_) {
    if (seen.unknown) silences.push_back({name, seen.last_beat, *seen.unknown});
  }
  return silences;
}

}  // namespace nlc::bench

#include "sim/silence_report.h"

#include <memory>
#include <utility>

#include "client/resources.h"

namespace nlc::sim {
namespace {

constexpr Duration reopen_wait = std::chrono::seconds(1);

/// Without a version a watch begins at the newest state, with all that is there.
template <typename T>
Lifeline watch(client::Transport& transport, client::WatchListener<T>& listener) {
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

SilenceReport::SilenceReport(World world, Duration grace, Write write)
    : world_(world), write_(std::move(write)), book_(grace) {
  open();
}

void SilenceReport::open() {
  nodes_ = watch<api::Node>(world_.transport, *this);
  leases_ = watch<api::NodeLease>(world_.transport, *this);
}

/// Both at once: a server that closed one of them is about to close the other.
void SilenceReport::on_end(client::StreamEnd) {
  book_.on_gap();
  nodes_.end();
  leases_.end();
  reopen_ = world_.executor.run_at(world_.clock.now() + reopen_wait, [this] { open(); });
}

void SilenceReport::on_events(std::span<api::WatchEvent<api::Node>> batch) {
  const Instant now = world_.clock.now();
  for (const api::WatchEvent<api::Node>& event : batch) {
    if (holds_object(event)) book_.on_node(event.object, now);
  }
  write_new();
}

void SilenceReport::on_events(std::span<api::WatchEvent<api::NodeLease>> batch) {
  const Instant now = world_.clock.now();
  for (const api::WatchEvent<api::NodeLease>& event : batch) {
    if (holds_object(event)) book_.on_lease(event.object, now);
  }
}

void SilenceReport::on_stored(Slot, const api::Pod& pod, const api::Pod*) {
  book_.on_pod(pod, world_.clock.now());
  write_new();
}

void SilenceReport::on_removed(Slot, const api::Pod& pod) {
  book_.on_pod_gone(pod, world_.clock.now());
  write_new();
}

void SilenceReport::on_killed(const std::string& node, std::uint32_t pods) {
  book_.on_killed(node, {.pods = pods, .at = world_.clock.now(), .wall = world_.clock.wall_now()});
}

void SilenceReport::on_revived(const std::string& node) {
  book_.on_revived(node);
  write_new();
}

void SilenceReport::write_new() {
  for (const std::string& line : book_.take_lines()) write_(line);
}

std::string SilenceReport::close() {
  reopen_.end();
  nodes_.end();
  leases_.end();
  book_.close();
  write_new();
  std::string summary = book_.summary();
  write_(summary);
  return summary;
}

}  // namespace nlc::sim

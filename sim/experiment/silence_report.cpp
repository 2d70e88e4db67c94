#include "sim/experiment/silence_report.h"

#include <utility>

#include "client/live_watch.h"

namespace nlc::sim {
namespace {

constexpr Duration reopen_wait = std::chrono::seconds(1);

}  // namespace

SilenceReport::SilenceReport(World world, Duration grace, Write write)
    : world_(world), write_(std::move(write)), book_(grace) {
  open();
}

void SilenceReport::open() {
  nodes_ = client::watch_from_now<api::Node>(world_.transport, *this);
  leases_ = client::watch_from_now<api::NodeLease>(world_.transport, *this);
}

/// Both at once: a server that closed one of them is about to close the other.
void SilenceReport::on_end(client::StreamEnd) {
  book_.on_gap();
  nodes_.end();
  leases_.end();
  reopen_ = world_.executor.run_at(world_.clock.now() + reopen_wait, [this] { open(); });
}

void SilenceReport::on_events(std::span<api::WatchEvent<api::Node>> batch, std::optional<Instant>) {
  const Instant now = world_.clock.now();
  for (const api::WatchEvent<api::Node>& event : batch) {
    if (shows_object(event.type)) book_.on_node(event.object, now);
  }
  write_new();
}

void SilenceReport::on_events(std::span<api::WatchEvent<api::NodeLease>> batch,
                              std::optional<Instant>) {
  const Instant now = world_.clock.now();
  for (const api::WatchEvent<api::NodeLease>& event : batch) {
    if (shows_object(event.type)) book_.on_lease(event.object, now);
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

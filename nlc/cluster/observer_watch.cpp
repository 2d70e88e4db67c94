#include "nlc/cluster/observer_watch.h"

#include "client/streams/live_watch.h"

namespace nlc::workbench {
namespace {

constexpr Duration reopen_wait = std::chrono::seconds(1);

}  // namespace

void ObserverWatch::open() {
  nodes_ = client::watch_from_now<api::Node>(env_.transport, *this);
  leases_ = client::watch_from_now<api::NodeLease>(env_.transport, *this);
}

void ObserverWatch::close() {
  reopen_.end();
  nodes_.end();
  leases_.end();
}

/// Both at once: a server that closed one of them is about to close the other.
void ObserverWatch::on_end(client::StreamEnd) {
  ++gaps_;
  close();
  reopen_ = env_.executor.run_at(env_.clock.now() + reopen_wait, [this] { open(); });
}

void ObserverWatch::on_events(std::span<api::WatchEvent<api::Node>> batch, std::optional<Instant>) {
  const Instant now = env_.clock.now();
  for (const api::WatchEvent<api::Node>& event : batch) {
    if (shows_object(event.type)) observer_.on_node(event.object, now);
  }
}

void ObserverWatch::on_events(std::span<api::WatchEvent<api::NodeLease>> batch,
                              std::optional<Instant>) {
  const Instant now = env_.clock.now();
  for (const api::WatchEvent<api::NodeLease>& event : batch) {
    if (shows_object(event.type)) observer_.on_lease(event.object, now);
  }
}

void ObserverWatch::on_stored(Slot, const api::Pod& pod, const api::Pod* before) {
  observer_.on_pod(pod, before, env_.clock.now());
}

void ObserverWatch::on_removed(Slot, const api::Pod& pod) {
  observer_.on_pod_gone(pod, env_.clock.now());
}

}  // namespace nlc::workbench

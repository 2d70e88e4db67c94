#include "controller/reports/reports.h"

#include <algorithm>
#include <utility>

#include "controller/options/unsafe_timings.h"
#include "controller/reports/event_texts.h"
#include "runtime/planted.h"

namespace nlc::controller {

Reports::Reports(Env env, client::EventSubject self, const PolicyWatch::Place& policy)
    : env_(env),
      node_events_({env.transport, env.clock, env.log, env.metrics.events_dropped()},
                   "node-controller"),
      eviction_events_({env.transport, env.clock, env.log, env.metrics.events_dropped()},
                       "taint-eviction-controller"),
      holds_({env.log, env.metrics, node_events_, std::move(self)}),
      pauses_({env.log, env.metrics, node_events_, policy}),
      troubles_(env.log) {}

void Reports::lead(bool leading) {
  if (leading == std::exchange(leading_, leading)) return;
  troubles_.forget();
  holds_.forget(metrics::Hold::NodeUnread);
}

// --- what is done -------------------------------------------------------------------------------

void Reports::deciding(const std::vector<Decision>& decisions) {
  for (const Decision& decision : decisions) announce(decision);
}

/// Once for each eviction, however often it has to be tried.
void Reports::announce(const Decision& decision) {
  if (const auto* evict = std::get_if<EvictPod>(&decision); evict != nullptr && evict->first) {
    eviction_events_.record(short_subject_of(evict->pod), marking_for_deletion(evict->pod));
  }
  if (const auto* lost = std::get_if<EvictLostPod>(&decision);
      lost != nullptr && lost->first && !lost->terminating) {
    node_events_.record(subject_of(lost->pod), marking_for_deletion(lost->pod, lost->node));
  }
}

void Reports::leaving(const Decisions::Leaving& leaving) {
  env_.log.info("node's pods are evicted", {{"node", leaving.node.name}});
  if (leaving.has_pods) {
    node_events_.record(subject_of(leaving.node), deleting_all_pods(leaving.node));
  }
}

void Reports::pod_marked(const PodRef& pod) {
  node_events_.record(subject_of(pod), pod_not_ready());
}

void Reports::refused(const NodeRef& node, const Error& error) {
  troubles_.refused(metrics::Queue::Nodes, {"node", node.name}, error, env_.clock.now());
}

/// A pod that is gone wants nothing any more.
void Reports::refused(metrics::Queue queue, const PodRef& pod, const Error& error) {
  if (error.fault == Fault::NotFound) return;
  troubles_.refused(queue, {"pod", pod.key()}, error, env_.clock.now());
}

// --- what is held -------------------------------------------------------------------------------

void Reports::held(const ApiServerHealth& server, Decisions& decisions, Instant now) {
  const Duration told = std::exchange(blind_told_, server.availability().blind_time(now));
  const std::chrono::duration<double> blind = std::max(blind_told_ - told, Duration{0});
  env_.metrics.blind_seconds().add(blind.count());
  const bool asked = decisions.judges_nodes() || decisions.taint_eviction().pending().waiting() > 0;
  const LeaseReads::Unread& unread = decisions.nodes().health().reads().unread();
  const ApiServerHealth::Doubts doubts = server.doubts(now);
  std::string paused = asked ? doubts.paused : "";
  if (asked && paused.empty() && unread.leases > 0 && unread.all) {
    paused = "leases could not be read: " + unread.why;
  }
  hold(metrics::Hold::ServerPaused, paused, now);
  hold(metrics::Hold::VersionRewound, doubts.rewound, now);
  hold(metrics::Hold::StreamStalled, doubts.stalled, now);
  hold_reads(decisions, now);
}

/// A node or a lease that cannot be read holds up itself.
void Reports::hold_reads(Decisions& decisions, Instant now) {
  const auto said = [](std::size_t count, std::string_view what, const std::string& why) {
    return count == 0 ? std::string()
                      : std::to_string(count) + " " + std::string(what) +
                            " could not be read, the last: " + why;
  };
  const LeaseReads::Unread& unread = decisions.nodes().health().reads().unread();
  hold(metrics::Hold::LeaseUnread, said(unread.all ? 0 : unread.leases, "leases", unread.why), now);
  // Who does not lead wants nothing read.
  const NodeReads& reads = decisions.node_reads();
  hold(metrics::Hold::NodeUnread,
       said(leading_ ? reads.failing() : 0, "nodes", reads.last_failure()), now);
}

void Reports::hold(metrics::Hold reason, const std::string& why, Instant now) {
  holds_.set(reason, why, now,
             leading_ ? JudgementHolds::Voice::Events : JudgementHolds::Voice::Silent);
}

// --- what happened ------------------------------------------------------------------------------

/// A standby forgets what it would have said of nodes and pods.
std::size_t Reports::tell(Decisions& decisions, Instant now) {
  const std::vector<NodeEvent> events = decisions.machines().nodes.take_events();
  if (leading_) {
    for (const NodeEvent& one : events) tell_of(one);
  }
  for (const ZoneEvent& one : decisions.machines().nodes.take_zone_events()) tell_of(one);
  for (const std::string& zone : decisions.machines().nodes.take_zones_evicting()) {
    env_.metrics.zone(zone).evictions.add();
  }
  tell_cancelled(decisions.machines().taint_eviction);
  tell_undone(decisions.machines().pod_readiness, now);
  tell_foreign(decisions, now);
  publish_queues(decisions, now);
  return leading_ ? events.size() : 0;
}

void Reports::tell_of(const NodeEvent& event) {
  switch (event.kind) {
    case NodeEvent::Kind::Registered:
      return node_events_.record(subject_of(event.node), registered_node(event.node));
    case NodeEvent::Kind::Removed:
      return node_events_.record(subject_of(event.node), removing_node(event.node));
    case NodeEvent::Kind::BecameSilent:
      return node_events_.record(subject_of(event.node), node_not_ready(event.node));
    case NodeEvent::Kind::CameBack:
      env_.history.happened(Action::NodeCameBack, History::of_node(event.node.name), {},
                            env_.clock.now());
      return env_.log.info("node came back", {{"node", event.node.name}});
    case NodeEvent::Kind::Undone:
      env_.metrics.writes(metrics::Write::NodeTaints, "undone").add();
      env_.history.happened(Action::UndoneByOthers, History::of_node(event.node.name), event.detail,
                            env_.clock.now());
      return troubles_.undone(metrics::Queue::Nodes, {"node", event.node.name}, event.detail,
                              env_.clock.now());
  }
}

void Reports::tell_of(const ZoneEvent& event) {
  env_.history.happened(
      Action::ZoneChanged, History::of_zone(event.key),
      std::string(name_of(event.before)) + " to " + std::string(name_of(event.after)),
      env_.clock.now());
  env_.log.info("zone changed state", {{"zone", zone_name(event.key)},
                                       {"before", std::string(name_of(event.before))},
                                       {"after", std::string(name_of(event.after))},
                                       {"nodes", std::to_string(event.count.size())},
                                       {"not_ready", std::to_string(event.count.not_ready)}});
}

void Reports::tell_cancelled(TaintEviction& eviction) {
  for (const PodRef& pod : eviction.take_cancelled()) {
    if (!leading_) continue;  // whoever leads may have deleted it
    env_.history.happened(Action::CancelEviction, History::of_pod(pod.key()), {}, env_.clock.now());
    eviction_events_.record(short_subject_of(pod), cancelling_deletion(pod));
  }
  for (const PodRef& pod : eviction.take_overtaken()) {
    if (!leading_) continue;
    env_.log.warning("eviction cancelled too late, its delete was on its way",
                     {{"pod", pod.key()}});
    eviction_events_.record(short_subject_of(pod), deletion_on_its_way(pod));
  }
}

void Reports::tell_undone(PodReadiness& readiness, Instant now) {
  for (const PodRef& pod : readiness.take_undone()) {
    env_.metrics.writes(metrics::Write::PodStatus, "undone").add();
    env_.history.happened(Action::UndoneByOthers, History::of_pod(pod.key()), "Ready=False", now);
    troubles_.undone(metrics::Queue::PodMarks, {"pod", pod.key()}, "Ready=False", now);
  }
}

/// One of them when it begins, and once a minute while more come.
void Reports::tell_foreign(Decisions& decisions, Instant now) {
  for (const ForeignWrite& write : decisions.machines().foreign.take()) {
    env_.metrics.foreign_writes(write.kind).add();
    const std::uint64_t others = two_masters_.untold();
    if (!two_masters_.met("two_masters", now)) continue;
    env_.log.warning(
        "another node-lifecycle controller writes while this one leads",
        {write.object, {"write", write.what}, {"untold_writes", std::to_string(others)}});
  }
}

void Reports::publish_queues(Decisions& decisions, Instant now) {
  const std::size_t nodes = decisions.nodes().repairs().writes().troubled();
  follow(metrics::Queue::Nodes, nodes, nodes, now);
  const PendingWrites& marks = decisions.pod_readiness().pending();
  follow(metrics::Queue::PodMarks, marks.waiting(), marks.troubled(), now);
  const std::size_t troubled = decisions.taint_eviction().pending().troubled();
  const PendingWrites& timeouts = decisions.timeout_eviction().pending();
  follow(metrics::Queue::PodEvictions, troubled + timeouts.waiting(),
         troubled + timeouts.troubled(), now);
}

/// Who does not lead wants nothing written.
void Reports::follow(metrics::Queue queue, std::size_t waiting, std::size_t troubled, Instant now) {
  env_.metrics.queue(queue).depth.set(static_cast<double>(waiting));
  if (leading_) troubles_.follow(queue, troubled, now);
}

// --- monitor passes -----------------------------------------------------------------------------

void Reports::monitored(const Decisions& decisions, std::size_t nodes, Duration took) {
  env_.metrics.all_nodes_health_duration().observe(took);
  if (nodes > 0) {
    const std::chrono::duration<double> all = took;
    env_.metrics.node_health_duration().observe(all / static_cast<double>(nodes));
  }
  publish_zones(decisions.nodes().zones());
  warn_of_silent_stop(decisions);
}

void Reports::publish_zones(const Zones& zones) {
  env_.metrics.keep_zones([&](const std::string& key) {
    return zones.all().contains(key) || planted("vanished-zones-stay");
  });
  for (const auto& [key, zone] : zones.all()) {
    const metrics::ZoneMetrics& shown = env_.metrics.zone(key);
    const int size = zone.count.size();
    shown.size.set(size);
    shown.unhealthy.set(zone.count.not_ready);
    shown.waiting.set(static_cast<double>(zone.queue.size()));
    shown.health.set(size == 0 ? 100 : 100.0 * zone.count.ready / size);
    for (std::size_t i = 0; i < metrics::zone_states.size(); ++i) {
      shown.states[i].set(metrics::zone_states[i] == name_of(zone.state) ? 1 : 0);
    }
  }
}

/// Once, when the first monitor pass has counted the zones.
void Reports::warn_of_silent_stop(const Decisions& decisions) {
  if (std::exchange(zones_counted_, true)) return;
  std::vector<int> sizes;
  for (const auto& [key, zone] : decisions.nodes().zones().all())
    sizes.push_back(zone.count.size());
  if (const std::optional<Warning> warning = silent_stop(decisions.policy(), sizes)) {
    env_.log.warning("zones may stop evicting",
                     {{"rule", std::string(warning->rule)}, {"why", warning->message}});
  }
}

void Reports::publish_health(const ClusterWatch& watch, Instant now) {
  std::vector<HealthCheck> checks;
  checks.reserve(8);  // this comes every second
  checks.push_back({.name = "ping", .ok = true});
  watch.add_checks(checks);
  checks.push_back(holds_.check(now));
  checks.push_back(pauses_.check());
  env_.health.publish(std::move(checks), now);
}

}  // namespace nlc::controller

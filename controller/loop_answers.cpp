#include <utility>

#include "controller/loop.h"

/// What became of what was decided.
namespace nlc::controller {

/// What a server answered directly goes into the view, and its watch has to bring it as well.
void Loop::take(const std::optional<api::Pod>& answered) {
  if (!answered) return;
  server_.shown(Watched::Pods, answered->resource_version, env_.clock.now());
  watch_.written(*answered);
}

void Loop::node_missing(const NodeRef& node) {
  if (!watch_.view().nodes.slot_of(node.name)) return;
  server_.node_missing(node.uid, env_.clock.now());
  obey(server_.take_orders());
}

void Loop::on_node_write(const NodeRef& node, NodePart part, WriteReport<api::Node> report) {
  const Instant now = env_.clock.now();
  history_.answered(node, part, report.error);
  if (report.object) {
    server_.shown(Watched::Nodes, report.object->resource_version, now);
    report.error ? watch_.read(*report.object) : watch_.written(*report.object);
  }
  if (report.error) {
    if (report.error->fault == Fault::NotFound) node_missing(node);
    if (decisions_.nodes().refused(node, part, *report.error, now)) {
      reports_.refused(node, *report.error);
    }
    decisions_.foreign_writes().refused(node, part, *report.error, now);
    pass_wanted_ = true;
  } else {
    decisions_.nodes().written(node, part, now);
    decisions_.foreign_writes().acknowledged(node, part);
  }
  run_soon();
}

void Loop::on_pod_write(const PodRef& pod, WriteReport<api::Pod> report) {
  const Instant now = env_.clock.now();
  history_.answered(Action::MarkPodNotReady, pod, report.error);
  take(report.object);
  if (report.error) {
    if (decisions_.pod_readiness().refused(pod, *report.error, now)) {
      reports_.refused(metrics::Queue::PodMarks, pod, *report.error);
    }
  } else {
    decisions_.pod_readiness().written(pod, now);
    reports_.pod_marked(pod);
  }
  run_soon();
}

/// One step of an eviction was answered.
void Loop::answered(const PodRef& pod, const std::optional<Error>& error) {
  if (error) reports_.refused(metrics::Queue::PodEvictions, pod, *error);
  run_soon();
}

/// Whether a condition says why a pod goes matters less than that it goes.
void Loop::on_marked(const EvictPod& eviction, WriteReport<api::Pod> report) {
  const Instant now = env_.clock.now();
  TaintEviction& machine = decisions_.taint_eviction();
  history_.answered(Action::MarkForDeletion, eviction.pod, report.error);
  take(report.object);
  answered(eviction.pod, report.error);
  report.error ? machine.not_marked(eviction.pod, *report.error, now)
               : machine.marked(eviction.pod, now);
}

void Loop::on_eviction(const EvictPod& eviction, std::optional<Error> error) {
  const Instant now = env_.clock.now();
  TaintEviction& machine = decisions_.taint_eviction();
  history_.answered(Action::DeletePod, eviction.pod, error);
  answered(eviction.pod, error);
  error ? machine.refused(eviction.pod, *error, now) : machine.evicted(eviction.pod, now);
}

void Loop::on_marked_lost(const EvictLostPod& eviction, WriteReport<api::Pod> report) {
  const Instant now = env_.clock.now();
  TimeoutEviction& machine = decisions_.timeout_eviction();
  history_.answered(Action::MarkForDeletion, eviction.pod, report.error);
  take(report.object);
  answered(eviction.pod, report.error);
  report.error ? machine.not_marked(eviction.pod, *report.error, now)
               : machine.marked(eviction.pod, now);
}

void Loop::on_lost_pod(const EvictLostPod& eviction, std::optional<Error> error) {
  const Instant now = env_.clock.now();
  TimeoutEviction& machine = decisions_.timeout_eviction();
  history_.answered(Action::DeletePod, eviction.pod, error);
  answered(eviction.pod, error);
  error ? machine.refused(eviction.pod, *error, now) : machine.evicted(eviction.pod, now);
}

void Loop::on_node_read(const NodeRef& node, Result<api::Node> live) {
  const Instant now = env_.clock.now();
  const bool gone = !live && live.error().fault == Fault::NotFound;
  if (live) {
    server_.shown(Watched::Nodes, live->resource_version, now);
    watch_.read(*live);
    decisions_.nodes().node_read(node, now);
  } else if (decisions_.nodes().node_not_read(node, live.error(), now)) {
    reports_.refused(node, live.error());
  }
  if (gone) node_missing(node);
  if (live || gone) {
    decisions_.node_reads().answered(node.name, live ? live->uid : std::string_view(), now);
  } else {
    decisions_.node_reads().failed(node.name, live.error(), now);
  }
  run_soon();
}

void Loop::on_leases(const ReadLeases& asked, Result<FoundLeases> found) {
  NodeLifecycle& nodes = decisions_.nodes();
  const Moment at = moment();
  if (found && !server_.leases_found(found->leases, found->list_version, at.now)) {
    // What is newer in them than what is known counts, and nothing else.
    nodes.leases_shown(found->leases, at.now);
    found = Error{Fault::Malformed, std::string(ApiServerHealth::lists_of_another_time)};
  }
  if (!found) {
    judge_by(asked, std::move(found.error()));
  } else if (server_.stream_is_witness()) {
    judge_by(asked, std::move(found->leases));
  } else {
    nodes.leases_shown(found->leases, at.now);
    server_.keep({.asked = asked, .found = std::move(found->leases)});
  }
  obey(server_.take_orders());
  run_soon();
}

void Loop::judge_by(const ReadLeases& asked, const Result<std::vector<api::NodeLease>>& found) {
  pass_wanted_ = true;
  NodeLifecycle& nodes = decisions_.nodes();
  const Moment at = moment();
  if (!found) return nodes.lease_read_failed(asked, found.error(), at.now);
  env_.log.debug("leases read", {{"nodes", std::to_string(asked.nodes.size())},
                                 {"found", std::to_string(found->size())}});
  if (!nodes.leases_read(asked, *found, at)) {
    server_.went_back("a lease was read in an older version than had been seen");
    obey(server_.take_orders());
  }
}

}  // namespace nlc::controller

#include "controller/loop/answers.h"

#include <string>
#include <utility>

namespace nlc::controller {
namespace {

constexpr std::string_view perhaps_of_the_past = "what the API server answered may be of the past";

/// What was asked for is not there; another of its name may be.
bool is_missing(const std::optional<Error>& error, const auto& found, const std::string& uid) {
  if (found) return found->uid != uid;
  return error && error->fault == Fault::NotFound;
}

}  // namespace

void Answers::follow_server() {
  const ApiServerHealth::Orders orders = env_.server.take_orders();
  if (orders.list_anew) {
    env_.watch.server_may_have_gone_back();
    env_.policy_watch.server_may_have_gone_back();
  }
  for (const Watched what : orders.begin_anew) env_.watch.begin_anew(what);
  if (orders.hurry) {
    env_.watch.hurry();
    env_.policy_watch.hurry();
  }
  const Error unbelieved{Fault::Malformed, std::string(perhaps_of_the_past)};
  for (const UnwitnessedReads::Read& read : orders.of_no_use) judge_by(read.asked, unbelieved);
  for (const UnwitnessedReads::Read& read : orders.decided) judge_by(read.asked, read.found);
  if (orders.view_renewed) env_.decisions.view_renewed(now());
  if (orders.leases_listed) machines().nodes.leases_listed_anew();
  if (orders.monitor_pass) env_.passes.want();
}

template <typename T>
void Answers::read_of_the_past(Watched what, const T& live, const informer::Store<T>& known) {
  const std::optional<T> seen = known.find(live.key());
  env_.server.read_of_the_past(what,
                               std::string(T::kind()) + " " + live.key() + " was read in version " +
                                   live.resource_version + ", older than " +
                                   (seen ? seen->resource_version : "one") + " that had been seen",
                               now());
  follow_server();
}

/// What a server answered directly goes into the view, and its watch has to bring it as well.
void Answers::take(const PodRef& pod, const WriteReport<api::Pod>& report) {
  if (is_missing(report.error, report.object, pod.uid)) {
    missing(Watched::Pods, env_.watch.view().pods, pod.key(), pod.uid);
  }
  if (!report.object) return;
  if (report.of_the_past) read_of_the_past(Watched::Pods, *report.object, env_.watch.view().pods);
  env_.server.shown(Watched::Pods, report.object->resource_version, now());
  env_.watch.written(*report.object);
}

void Answers::take(const NodeRef& node, const WriteReport<api::Node>& report) {
  if (report.of_the_past) read_of_the_past(Watched::Nodes, *report.object, env_.watch.view().nodes);
  if (report.object) {
    env_.server.shown(Watched::Nodes, report.object->resource_version, now());
    report.error ? env_.watch.read(*report.object) : env_.watch.written(*report.object);
  }
  if (is_missing(report.error, report.object, node.uid)) {
    missing(Watched::Nodes, env_.watch.view().nodes, node.name, node.uid);
  }
}

void Answers::follow_policy() {
  env_.server.policy_expired(env_.policy_watch.expired());
  const std::uint64_t rewinds = machines().holds.in_force().rewinds();
  if (std::exchange(policy_rewinds_, rewinds) == rewinds) return;
  env_.server.went_back("the operator's ConfigMap was read in an older version than had been seen");
  follow_server();
}

template <typename T>
void Answers::missing(Watched what, const informer::Store<T>& known, const std::string& key,
                      const std::string& uid) {
  const std::optional<Slot> slot = known.slot_of(key);
  if (!slot || !known.has_uid(*slot, uid)) return;
  if (missing_[what].not_found(uid, now())) env_.watch.begin_anew(what);
}

// --- writes -------------------------------------------------------------------------------------

void Answers::on_node_write(const NodeRef& node, NodePart part, WriteReport<api::Node> report) {
  env_.history.answered(node, part, report.error);
  take(node, report);
  if (report.error) {
    if (machines().nodes.refused(node, part, *report.error, now())) {
      env_.reports.refused(node, *report.error);
    }
    machines().foreign.refused(node, part, *report.error, now());
    env_.passes.want();
  } else {
    machines().nodes.written(node, part, now());
    machines().foreign.acknowledged(node, part);
  }
  then_();
}

void Answers::on_pod_write(const PodRef& pod, WriteReport<api::Pod> report) {
  env_.history.answered(Action::MarkPodNotReady, pod, report.error);
  take(pod, report);
  if (report.error) {
    if (machines().pod_readiness.refused(pod, *report.error, now())) {
      env_.reports.refused(metrics::Queue::PodMarks, pod, *report.error);
    }
  } else {
    machines().pod_readiness.written(pod, now());
    env_.reports.pod_marked(pod);
  }
  then_();
}

/// Whether a condition says why a pod goes matters less than that it goes.
template <typename Machine>
void Answers::marked(Machine& machine, const PodRef& pod, const WriteReport<api::Pod>& report) {
  env_.history.answered(Action::MarkForDeletion, pod, report.error);
  take(pod, report);
  if (report.error) {
    env_.reports.refused(metrics::Queue::PodEvictions, pod, *report.error);
    machine.not_marked(pod, *report.error, now());
  } else {
    machine.marked(pod, now());
  }
  then_();
}

template <typename Machine>
void Answers::deleted(Machine& machine, const PodRef& pod, const WriteReport<api::Pod>& report) {
  env_.history.answered(Action::DeletePod, pod, report.error);
  if (report.error) {
    if (machine.refused(pod, *report.error, now())) {
      env_.reports.refused(metrics::Queue::PodEvictions, pod, *report.error);
    }
  } else {
    machine.evicted(pod, now());
  }
  // After that: a deletion that was refused is no longer on its way when it turns out to be
  // unwanted.
  take(pod, report);
  then_();
}

void Answers::on_marked(const EvictPod& eviction, WriteReport<api::Pod> report) {
  marked(machines().taint_eviction, eviction.pod, report);
}

void Answers::on_marked(const EvictLostPod& eviction, WriteReport<api::Pod> report) {
  marked(machines().timeout_eviction, eviction.pod, report);
}

void Answers::on_deleted(const EvictPod& eviction, WriteReport<api::Pod> report) {
  deleted(machines().taint_eviction, eviction.pod, report);
}

void Answers::on_deleted(const EvictLostPod& eviction, WriteReport<api::Pod> report) {
  deleted(machines().timeout_eviction, eviction.pod, report);
}

// --- reads --------------------------------------------------------------------------------------

void Answers::on_node_read(const NodeRef& node, Result<api::Node> live) {
  const bool gone = !live && live.error().fault == Fault::NotFound;
  if (live) {
    env_.server.shown(Watched::Nodes, live->resource_version, now());
    env_.watch.read(*live);
    env_.decisions.node_read(node, now());
  } else if (machines().nodes.node_not_read(node, live.error(), now())) {
    env_.reports.refused(node, live.error());
  }
  if (is_missing(live ? std::nullopt : std::optional(live.error()), live, node.uid)) {
    missing(Watched::Nodes, env_.watch.view().nodes, node.name, node.uid);
  }
  NodeReads& reads = machines().node_reads;
  if (!live && !gone) {
    reads.failed(node.name, live.error(), now());
  } else if (!reads.answered(node.name, live ? &*live : nullptr, now())) {
    read_of_the_past(Watched::Nodes, *live, env_.watch.view().nodes);
  }
  then_();
}

void Answers::on_leases(const ReadLeases& asked, Result<FoundLeases> found) {
  NodeLifecycle& nodes = machines().nodes;
  if (!found) env_.server.leases_unread(asked, found.error().fault, now());
  if (found && !env_.server.leases_found(asked, found->leases, found->list_version, now())) {
    // What is newer in them than what is known counts, and nothing else.
    nodes.leases_shown(found->leases, now());
    found = Error{Fault::Malformed,
                  std::string(env_.server.doubtful(now()) ? ApiServerHealth::lists_of_another_time
                                                          : perhaps_of_the_past)};
  }
  if (!found) {
    judge_by(asked, std::move(found.error()));
  } else if (env_.server.dates_single_reads(now())) {
    judge_by(asked, std::move(found->leases));
  } else {
    nodes.leases_shown(found->leases, now());
    env_.server.keep({.asked = asked, .found = std::move(found->leases), .answered = now()});
  }
  follow_server();
  then_();
}

void Answers::judge_by(const ReadLeases& asked, const Result<std::vector<api::NodeLease>>& found) {
  env_.passes.want();
  NodeLifecycle& nodes = machines().nodes;
  const Moment at = env_.moments.now();
  if (!found) return nodes.lease_read_failed(asked, found.error(), at.now);
  env_.log.debug("leases read", {{"nodes", std::to_string(asked.nodes.size())},
                                 {"found", std::to_string(found->size())}});
  const api::NodeLease* const behind = nodes.leases_read(asked, *found, at);
  if (behind != nullptr) read_of_the_past(Watched::Leases, *behind, env_.watch.view().leases);
}

}  // namespace nlc::controller

#include "controller/writes/writer.h"

#include <utility>
#include <variant>

#include "api/version.h"
#include "client/verbs.h"
#include "runtime/go_duration.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

/// Tells what became of a write that was decided on `version`. After a conflict `read` gets the
/// live object first.
template <typename T>
void report(Result<T> answer, const std::string& version,
            const std::function<void(client::Done<T>)>& read,
            std::function<void(WriteReport<T>)> tell) {
  if (answer) return tell({.object = std::move(*answer)});
  if (answer.error().fault != Fault::Conflict) return tell({.error = std::move(answer.error())});
  read([tell = std::move(tell), conflict = answer.error(), version](Result<T> live) {
    if (!live) return tell({.error = std::move(live.error())});
    const bool older =
        !live->resource_version.empty() && api::older_version(live->resource_version, version);
    tell({.object = std::move(*live), .error = conflict, .of_the_past = older});
  });
}

/// Which pod is meant, and in which version: tolerations may have been added that no watch has
/// shown.
api::Precondition deletion_precondition(const EvictPod& eviction) {
  if (planted("deletes-namesakes")) return {};
  return {.uid = eviction.pod.uid, .resource_version = eviction.resource_version};
}

/// A pod of a lost node goes whatever it tolerates.
api::Precondition deletion_precondition(const EvictLostPod& eviction) {
  return {.uid = planted("deletes-namesakes") ? "" : eviction.pod.uid};
}

}  // namespace

void Writer::perform(const Decision& decision) {
  std::visit([this](const auto& wish) { begin(wish); }, decision);
}

template <typename T>
void Writer::count(metrics::Write kind, const Result<T>& answer) {
  env_.metrics.writes(kind, answer ? "ok" : name_of(answer.error().fault)).add();
}

Writer::Work Writer::begin_work(metrics::Queue queue) const {
  const metrics::QueueMetrics& series = env_.metrics.queue(queue);
  series.adds.add();
  return {.queue = &series, .since = env_.clock.now()};
}

template <typename T>
void Writer::end_work(const Work& work, const Result<T>& answer) const {
  work.queue->work.observe(env_.clock.now() - work.since);
  if (!answer) work.queue->retries.add();
}

// --- nodes --------------------------------------------------------------------------------------

void Writer::begin(const MarkSilent& decision) {
  const api::Precondition on{decision.node.uid, decision.resource_version};
  client::patch_node_status(
      env_.transport, decision.node.name,
      api::node_conditions_patch(on, decision.conditions, decision.order),
      [this, work = begin_work(metrics::Queue::Nodes), decision](Result<api::Node> answer) {
        if (answer) {
          env_.metrics.node_unknown_delay().observe(decision.late +
                                                    (env_.clock.now() - work.since));
          env_.log.info("node marked unknown", {{"node", decision.node.name},
                                                {"silent_for", go_duration(decision.silent_for)}});
        }
        node_answered(decision, metrics::Write::NodeStatus, work, std::move(answer));
      },
      decision.attempt);
}

void Writer::begin(const SetTaints& decision) {
  const api::Precondition on{
      decision.node.uid, planted("taints-without-precondition") ? "" : decision.resource_version};
  client::patch_node(
      env_.transport, decision.node.name, api::node_taints_patch(on, decision.taints),
      [this, work = begin_work(metrics::Queue::Nodes), decision](Result<api::Node> answer) {
        if (answer) {
          env_.log.info("node taints changed", {{"node", decision.node.name},
                                                {"ready", decision.ready},
                                                {"reason", decision.reason},
                                                {"added", decision.added},
                                                {"removed", decision.removed}});
        }
        node_answered(decision, metrics::Write::NodeTaints, work, std::move(answer));
      },
      decision.attempt);
}

void Writer::begin(const SetLabels& decision) {
  const api::Precondition on{decision.node.uid, decision.resource_version};
  client::patch_node(
      env_.transport, decision.node.name, api::node_labels_patch(on, decision.labels),
      [this, work = begin_work(metrics::Queue::Nodes), decision](Result<api::Node> answer) {
        if (answer) env_.log.info("node labels mirrored", {{"node", decision.node.name}});
        node_answered(decision, metrics::Write::NodeLabels, work, std::move(answer));
      },
      decision.attempt);
}

template <typename Change>
void Writer::node_answered(const Change& change, metrics::Write kind, const Work& work,
                           Result<api::Node> answer) {
  count(kind, answer);
  end_work(work, answer);
  report<api::Node>(
      std::move(answer), change.resource_version,
      [this, name = change.node.name, attempt = change.attempt](client::Done<api::Node> done) {
        client::get_node(env_.transport, name, std::move(done), attempt);
      },
      [this, node = change.node,
       part = kind == metrics::Write::NodeStatus ? NodePart::Status
                                                 : NodePart::Spec](WriteReport<api::Node> outcome) {
        listener_.on_node_write(node, part, std::move(outcome));
      });
}

// --- pods ---------------------------------------------------------------------------------------

void Writer::begin(const MarkPodNotReady& decision) {
  const api::Precondition on{decision.pod.uid, decision.resource_version};
  client::patch_pod_status(
      env_.transport, decision.pod.namespace_, decision.pod.name,
      api::pod_not_ready_patch(on, env_.clock.wall_now()),
      [this, work = begin_work(metrics::Queue::PodMarks), decision](Result<api::Pod> answer) {
        const PodRef& pod = decision.pod;
        end_work(work, answer);
        count(metrics::Write::PodStatus, answer);
        if (answer) {
          env_.log.info("pod marked not ready", {{"pod", pod.key()}, {"node", decision.node}});
        }
        report<api::Pod>(std::move(answer), decision.resource_version,
                         reader_of(pod, decision.attempt),
                         [this, pod](WriteReport<api::Pod> outcome) {
                           listener_.on_pod_write(pod, std::move(outcome));
                         });
      },
      decision.attempt);
}

/// Of a write that failed before, the read waits behind others as the write did.
std::function<void(client::Done<api::Pod>)> Writer::reader_of(const PodRef& pod,
                                                              client::Try attempt) {
  return [this, pod, attempt](client::Done<api::Pod> done) {
    client::get_pod(env_.transport, pod.namespace_, pod.name, std::move(done), attempt);
  };
}

void Writer::mark(const EvictPod& eviction) {
  const api::DisruptionTarget target{
      .transition = eviction.target_since.value_or(env_.clock.wall_now()),
      .observed_generation = eviction.generation};
  client::patch_pod_status(
      env_.transport, eviction.pod.namespace_, eviction.pod.name,
      api::pod_disruption_patch({.uid = eviction.pod.uid}, target),
      [this, eviction](Result<api::Pod> answer) {
        count(metrics::Write::PodStatus, answer);
        WriteReport<api::Pod> outcome;
        if (answer) outcome.object = std::move(*answer);
        if (!answer) outcome.error = std::move(answer.error());
        listener_.on_marked(eviction, std::move(outcome));
      },
      eviction.attempt);
}

void Writer::mark(const EvictLostPod& eviction) {
  const api::Precondition on{eviction.pod.uid, eviction.resource_version};
  const std::string message =
      "Node " + eviction.node + " which was running pod " + eviction.pod.name + " is unresponsive";
  client::patch_pod_status(
      env_.transport, eviction.pod.namespace_, eviction.pod.name, api::pod_lost_patch(on, message),
      [this, eviction](Result<api::Pod> answer) {
        count(metrics::Write::PodStatus, answer);
        report<api::Pod>(std::move(answer), eviction.resource_version,
                         reader_of(eviction.pod, eviction.attempt),
                         [this, eviction](WriteReport<api::Pod> outcome) {
                           listener_.on_marked(eviction, std::move(outcome));
                         });
      },
      eviction.attempt);
}

template <typename Eviction>
void Writer::remove(const Eviction& eviction) {
  client::delete_pod(
      env_.transport, eviction.pod.namespace_, eviction.pod.name,
      api::delete_options(deletion_precondition(eviction)),
      [this, work = begin_work(metrics::Queue::PodEvictions),
       eviction](Result<std::monostate> answer) {
        count(metrics::Write::PodDelete, answer);
        end_work(work, answer);
        const auto tell = [this, eviction](WriteReport<api::Pod> outcome) {
          listener_.on_deleted(eviction, std::move(outcome));
        };
        if (!answer) {
          return report<api::Pod>(std::move(answer.error()), eviction.resource_version,
                                  reader_of(eviction.pod, eviction.attempt), tell);
        }
        evicted(eviction);
        tell({});
      },
      eviction.attempt);
}

void Writer::evicted(const EvictPod& eviction) {
  const Duration late = env_.clock.now() - eviction.deadline;
  env_.metrics.pod_deletions().add();
  env_.metrics.pod_deletion_duration().observe(late);
  env_.log.info(
      "pod evicted",
      {{"pod", eviction.pod.key()}, {"node", eviction.node}, {"late", go_duration(late)}});
}

void Writer::evicted(const EvictLostPod& eviction) {
  env_.log.info("pod evicted", {{"pod", eviction.pod.key()}, {"node", eviction.node}});
}

void Writer::begin(const EvictPod& decision) {
  decision.marked ? remove(decision) : mark(decision);
}

void Writer::begin(const EvictLostPod& decision) {
  decision.marked ? remove(decision) : mark(decision);
}

}  // namespace nlc::controller

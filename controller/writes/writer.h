#pragma once

#include <functional>

#include "client/transport.h"
#include "client/verbs.h"
#include "controller/rules/decision.h"
#include "controller/writes/reader.h"
#include "controller/writes/write_listener.h"
#include "metrics/metrics.h"
#include "runtime/clock.h"
#include "runtime/log.h"
#include "runtime/result.h"

namespace nlc::controller {

/// Performs decisions: the only code that changes the cluster. Every write names the uid it means,
/// and the resourceVersion it was decided on wherever a stale view could do harm, so a server
/// refuses what is out of date.
///
/// Performs each decision once and reports; whether it is still wanted, and what is told of a
/// refusal, is decided anew by whoever decided it. On the executor's thread; the listener must
/// outlive it.
class Writer {
 public:
  struct Env {
    client::Transport& transport;
    const Clock& clock;
    Log& log;
    metrics::Metrics& metrics;
  };
  Writer(Env env, WriteListener& listener)
      : env_(env), listener_(listener), reader_(env.transport, listener) {}

  void perform(const Decision& decision);

 private:
  /// A write on its way, for the metrics of the queue it came from.
  struct Work {
    const metrics::QueueMetrics* queue;
    Instant since;
  };
  Work begin_work(metrics::Queue queue) const;
  template <typename T>
  void end_work(const Work& work, const Result<T>& answer) const;

  void begin(const MarkSilent& decision);
  void begin(const SetTaints& decision);
  void begin(const SetLabels& decision);
  void begin(const MarkPodNotReady& decision);
  void begin(const EvictPod& decision);
  void begin(const EvictLostPod& decision);
  void begin(const ReadLeases& decision) { reader_.perform(decision); }
  void begin(const ReadNode& decision) { reader_.perform(decision); }

  template <typename Change>
  void node_answered(const Change& change, metrics::Write kind, const Work& work,
                     Result<api::Node> answer);
  void mark(const EvictPod& eviction);
  void mark(const EvictLostPod& eviction);
  template <typename Eviction>
  void remove(const Eviction& eviction);
  void evicted(const EvictPod& eviction);
  void evicted(const EvictLostPod& eviction);
  std::function<void(client::Done<api::Pod>)> reader_of(const PodRef& pod, client::Try attempt);
  template <typename T>
  void count(metrics::Write kind, const Result<T>& answer);

  Env env_;
  WriteListener& listener_;
  Reader reader_;
};

}  // namespace nlc::controller

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/list_pages.h"
#include "client/transport.h"
#include "client/verbs.h"
#include "controller/rules/decision.h"
#include "metrics/metrics.h"
#include "runtime/clock.h"
#include "runtime/log.h"
#include "runtime/result.h"

namespace nlc::controller {

/// What became of a write: the object as the server has it now, if it told us, and why it was
/// refused, if it was. After a conflict both are there: the live object has been read.
template <typename T>
struct WriteReport {
  std::optional<T> object;
  std::optional<Error> error;
};

/// What a `ReadLeases` found.
struct FoundLeases {
  std::vector<api::NodeLease> leases;  ///< absent ones left out
  std::string list_version = {};       ///< of the list; empty where each was read by itself
};

/// Where answers arrive, on the executor.
class WriteListener {
 public:
  virtual ~WriteListener() = default;
  virtual void on_node_write(const NodeRef& node, NodePart part, WriteReport<api::Node> report) = 0;
  virtual void on_pod_write(const PodRef& pod, WriteReport<api::Pod> report) = 0;
  /// The two steps of an eviction: its condition, its deletion.
  virtual void on_marked(const EvictPod& eviction, WriteReport<api::Pod> report) = 0;
  virtual void on_eviction(const EvictPod& eviction, std::optional<Error> error) = 0;
  virtual void on_marked_lost(const EvictLostPod& eviction, WriteReport<api::Pod> report) = 0;
  virtual void on_lost_pod(const EvictLostPod& eviction, std::optional<Error> error) = 0;
  virtual void on_node_read(const NodeRef& node, Result<api::Node> live) = 0;
  /// Perhaps of some of those that were to be read: each is told of once.
  virtual void on_leases(const ReadLeases& asked, Result<FoundLeases> found) = 0;
};

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
  Writer(Env env, WriteListener& listener) : env_(env), listener_(listener) {}

  void perform(const Decision& decision);

 private:
  /// A write on its way, for the metrics of the queue it came from.
  struct Work {
    const metrics::QueueMetrics* queue;
    Instant since;
  };
  /// A list of leases that is being read.
  struct LeaseList {
    ReadLeases asked;
    FoundLeases found;
    std::set<std::string, std::less<>> unreadable;  ///< their names; empty: unknown
    client::ListPages pages;
  };
  /// The node of a write, and whether that one failed before.
  struct Written {
    NodeRef node;
    client::Try attempt;
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
  void begin(const ReadLeases& decision);
  void begin(const ReadNode& decision);

  void node_answered(const Written& written, metrics::Write kind, const Work& work,
                     Result<api::Node> answer);
  void mark(const EvictPod& eviction);
  void remove(const EvictPod& eviction);
  void mark(const EvictLostPod& eviction);
  void remove(const EvictLostPod& eviction);
  void read_each(const ReadLeases& asked);
  void read_pages(std::shared_ptr<LeaseList> list, std::string continue_token);
  void tell_list(const LeaseList& list);
  std::function<void(client::Done<api::Pod>)> reader_of(const PodRef& pod, client::Try attempt);
  template <typename T>
  void count(metrics::Write kind, const Result<T>& answer);

  Env env_;
  WriteListener& listener_;
};

}  // namespace nlc::controller

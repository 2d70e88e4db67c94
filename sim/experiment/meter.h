#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/node_observer.h"
#include "runtime/time.h"
#include "sim/scenario/stage/onlooker.h"

namespace nlc::sim::experiment {

using report::Moment;

/// What is measured of a dead node; of its pods it is the last that counts.
constexpr std::array marks{Moment::Unknown, Moment::NoSchedule, Moment::NoExecute,
                           Moment::PodMarked};

template <typename T>
using PerMark = std::array<T, marks.size()>;

/// A node stopped live_steps, for longer than its grace. It may come back later.
struct Death {
  std::string node;
  PerMark<std::optional<Duration>>
      after;  ///< since its last heartbeat that arrived; unset: never came
};

/// What one run showed.
struct Measures {
  std::vector<Death> deaths;
  std::size_t false_positives =
      0;                         ///< times a node was marked Unknown though its kubelet was alive
  std::size_t evictions = 0;     ///< times a node was newly given a NoExecute taint
  std::size_t pods_deleted = 0;  ///< by the controller
  std::size_t api_writes = 0;    ///< of the controller that the server took, events included
};

/// Watches one run and measures it.
///
/// A node lives while one of its steps still has heartbeats to come, or would have if the run went
/// on, whether they arrive or are lost. A node that is marked Unknown while it lives is a false
/// positive. Once no heartbeats are to come, its death counts from the last one that arrived. Nodes
/// that never sent a heartbeat are silent from the start.
class Meter final : public scenario::Onlooker {
 public:
  struct Span {
    Instant start;
    Duration grace;  ///< a node that was silent no longer than this has not died
    std::set<std::size_t>
        endless{};  ///< steps with heartbeats to the end of the run, and would go on
  };
  Meter(const std::vector<std::string>& nodes, Span span);

  void on_heartbeat(const scenario::HeartbeatSent& heartbeat) override;
  void on_write(const scenario::SentRequest& request, const Storage& storage) override;

  /// Ends the run at that moment.
  Measures finish(Instant end) &&;

 private:
  struct NodeState {
    std::set<std::size_t> live_steps;  ///< steps that have heartbeats to come
    Instant last_heartbeat;
    PerMark<std::optional<Duration>> marked;  ///< since `last_heartbeat`
  };

  void close_silence(const std::string& name, const NodeState& node, Instant until);
  void mark(const std::string& name, Moment moment, Instant at);
  void note_node(const HistoryEvent& change);
  void note_pod(const HistoryEvent& change, const Storage& storage);

  const Span span_;
  std::map<std::string, NodeState, std::less<>> nodes_;
  Measures measures_;
};

}  // namespace nlc::sim::experiment

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.h"
#include "runtime/time.h"

namespace nlc::sim {

struct PodTiming {
  Duration start = std::chrono::seconds(1);        ///< from bound to running
  Duration termination = std::chrono::seconds(1);  ///< from marked to stopped
  Duration sync = std::chrono::seconds(10);  ///< until a lost or overwritten status is posted again
};

/// What has to be said to the server about a pod.
enum class PodAction : std::uint8_t {
  None,
  Start,   ///< post it running and Ready
  Repair,  ///< post Ready True again: somebody wrote something else
  Finish,  ///< post it Succeeded, for it was marked for deletion and its containers stopped
  Remove,  ///< delete it for good
};

struct PodJob {
  PodAction action = PodAction::None;
  std::string key;  ///< "namespace/name"
  std::string uid;
  std::uint32_t serial = 0;  ///< of its address on the node
  WallTime started;
};

/// The pods of one node: what the server says of each, and what its kubelet has to do about that.
///
/// Level-triggered: the action follows from the last state seen, so a pod whose action was done
/// shows a new state or needs nothing more, and a kubelet that was away does what is due when it is
/// back.
///
/// Pure; `now` never runs backwards. Each job taken is ended by `on_done` or by `restart`.
class HollowPods {
 public:
  explicit HollowPods(const PodTiming& timing) : timing_(&timing) {}

  /// `pod` is bound to this node and stands so on the server.
  void observe(const api::Pod& pod, Instant now);
  /// The server has no such pod any more.
  void forget(std::string_view key);

  /// The kubelet began to work, again perhaps: jobs it had taken are lost, all waits begin now.
  void restart(Instant now);

  /// When the next job is due; nothing without one.
  std::optional<Instant> next_due() const;
  /// Jobs that are due now. Containers that are started now have run since `wall`.
  std::vector<PodJob> take_due(Instant now, WallTime wall);
  void on_done(std::string_view key, bool accepted, Instant now);

  std::size_t size() const { return records_.size(); }
  /// "namespace/name" of one of them, in the order in which they came.
  const std::string& key_at(std::size_t place) const { return records_.at(place).key; }
  /// Ready by the server's account and not on their way out.
  std::size_t running() const;

 private:
  struct Record {
    std::string key;
    std::string uid;
    std::optional<WallTime> started;
    std::uint32_t serial = 0;
    PodAction action = PodAction::None;  ///< waits for `due`; None: at rest
    PodAction taken = PodAction::None;   ///< the job that has not ended; the next one waits for it
    bool running = false;
    Instant due;
  };

  static bool is_waiting(const Record& record);
  Record* find(std::string_view key);
  Record& record_of(const api::Pod& pod);
  Duration wait_before(PodAction action) const;

  const PodTiming* timing_;
  std::uint32_t next_serial_ = 0;
  std::vector<Record> records_;  // a node has few pods: looking through them beats a map
};

}  // namespace nlc::sim

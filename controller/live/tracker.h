#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "controller/insight.h"
#include "controller/live/change.h"
#include "controller/live/node_facts.h"
#include "controller/why/answer.h"

namespace nlc::controller::live {

/// Says what has changed since it looked last. A node that is as it was costs a few look-ups, and
/// is unpacked only where its version is another. Reads all and changes nothing, on the
/// controller's thread; what it remembers is about a hundred and fifty bytes for each node.
class Tracker {
 public:
  /// `next`: the answer to the question what comes next, taken at the same moment. `insight`: null
  /// where the controller knows nothing, as a cold standby does.
  Change look(const why::Answer& next, const Insight* insight, WallTime now);

 private:
  struct Known {
    std::uint64_t digest = 0;
    NodeFacts facts;
    Node node;  ///< without a name: none was told
  };
  void look_at_replica(const why::Answer& next, const Insight* insight, Change& change);
  void look_at_zones(const Insight& insight, Change& change);
  void look_at_nodes(const Insight& insight, Change& change);
  void look_at(Slot slot, const Insight& insight, Change& change);
  void look_ahead(const why::Answer& next, Change& change);
  void look_back(const Insight& insight, Change& change);

  std::vector<Known> nodes_;  ///< beside the slots of the node store
  std::optional<ReplicaStatus> replica_;
  // As they were told; nothing before that.
  std::optional<std::vector<Zone>> zones_;
  std::optional<std::vector<Step>> next_;
  std::optional<std::vector<PastAction>> past_;
};

}  // namespace nlc::controller::live

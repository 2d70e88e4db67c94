#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/why/parts.h"

/// What comes next for pods that are to leave or to be marked NotReady, and what holds it back.
/// Whatever is asked about is answered from here, so that no two answers differ.
namespace nlc::controller::why {

/// What keeps the pods of a node from being marked NotReady.
std::vector<Obstacle> marking_obstacles(const std::string& node, const Insight& insight);

/// A pod that leaves, or will.
struct Leaving {
  enum class How : std::uint8_t { Counting, Due, UnderWay, Accepted } how = How::Due;
  std::optional<Instant> deadline;  ///< nothing: it has been due since its node's pods are evicted
  bool conditional = true;          ///< for its node's own condition: if that recovers, it stays
  std::vector<Obstacle> held;
  std::string unless;  ///< what may keep it when its time is over, behind the words of a step
  Step step;           ///< of the pod, with the time that is left when all of that is over
};
/// Nothing: it stays, or is left alone.
std::optional<Leaving> leaving_of(Slot pod, const Insight& insight);

struct LeavingPod {
  Slot slot;
  Leaving leaving;
};

/// The pods of one node.
struct LeavingPods {
  std::size_t leaving = 0;
  std::size_t staying = 0;
  std::optional<LeavingPod> first;  ///< of those that leave
};
LeavingPods leaving_pods(std::string_view node, const Insight& insight);

/// A pod on a node of that zone that is due, and that the operator holds, or that was held and
/// waits for the turn of its node.
std::optional<LeavingPod> held_pod_of(const Zone& zone, const Insight& insight);

}  // namespace nlc::controller::why

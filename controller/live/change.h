#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/reports/history.h"
#include "controller/why/answer.h"
#include "runtime/time.h"

/// The whole cluster as the controller sees it, for people who watch: what it is, and what has
/// changed since they looked last. Nothing here decides anything, and nothing that decides may
/// include it.
namespace nlc::controller::live {

/// What is most worth knowing of a node: of those that fit, the first one.
enum class NodeStatus : std::uint8_t {
  Evicting,  ///< it has a NoExecute taint, and its pods leave as they tolerate it
  Unknown,   ///< its Ready condition says so, or it has none
  NotReady,
  Paused,  ///< ready, and the operator wants it left alone; so with all that follow
  Cordoned,
  Tainted,   ///< NoSchedule
  Excluded,  ///< from its zone's count
  Ready
};

/// "evicting", "unknown", "not-ready", …
std::string_view name_of(NodeStatus status);

struct Node {
  std::string name;
  std::string zone;  ///< "REGION/ZONE"
  NodeStatus status = NodeStatus::Ready;
  std::optional<WallTime> since;  ///< as the object says
  // Whatever its status is:
  bool paused = false;
  bool cordoned = false;
  bool queued = false;  ///< it waits for its NoExecute taint

  friend bool operator==(const Node&, const Node&) = default;
};

using Zone = why::ZonePace;

/// Who tells, and what keeps him from acting.
struct ReplicaStatus {
  std::string identity;
  std::string role;    ///< "leads", "stands by", "observes"
  std::string leader;  ///< whom it stands by for, where somebody is known
  std::string state;   ///< as `why` says: "at_work", "held", "not_synced", …
  std::string is;
  std::vector<std::string> held;

  friend bool operator==(const ReplicaStatus&, const ReplicaStatus&) = default;
};

/// What comes next if nothing changes.
struct Step {
  std::string what;
  std::optional<WallTime> when;  ///< nothing: nobody knows
};

struct Past {
  WallTime at;
  Action action = Action::MarkUnknown;
  Outcome outcome = Outcome::UnderWay;
  std::string object;
  std::string detail;
  std::string why;
};

/// What is another since the last look; of the first one, everything. Nodes come one by one,
/// all else as a whole where anything of it is another.
struct Change {
  WallTime at;
  Duration took{0};  ///< of the controller's thread, to find it out
  std::optional<ReplicaStatus> replica;
  std::optional<std::vector<Zone>> zones;
  std::vector<std::string> gone;  ///< nodes; one that is among `nodes` too was made anew
  std::vector<Node> nodes;
  std::optional<std::vector<Step>> next;
  std::optional<std::vector<Past>> past;  ///< the newest first
};

/// One object; times as milliseconds since 1970.
std::string json_of(const Change& change);

}  // namespace nlc::controller::live

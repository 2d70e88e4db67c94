#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controller/reports/history.h"
#include "runtime/time.h"

/// Why a node, a pod or a zone is as it is, and what comes next: told by what the controller knows,
/// to people who ask. Nothing here decides anything, and nothing that decides may include it.
namespace nlc::controller::why {

/// What is asked about.
struct Question {
  enum class Kind : std::uint8_t { Next, Node, Pod, Zone } kind = Kind::Next;
  std::string name;  ///< "NODE", "NAMESPACE/POD", "REGION/ZONE"; empty: what comes next
};

/// Who answers.
struct Answerer {
  std::string identity;
  bool leads = false;
  std::string leader;   ///< whom it stands by for; empty: nobody is known
  bool synced = false;  ///< its view is complete
};

/// The last sign of life of a node.
struct LastHeard {
  enum class By : std::uint8_t { Nothing, Lease, Status } by = By::Nothing;
  std::optional<WallTime> written;  ///< the time that the kubelet wrote into it, if there is one
  Duration ago{0};                  ///< time in which the API server took no writes is left out
  bool seen_here = true;            ///< else none moved since its grace began, so long ago
};

/// A number that decided, as its flag is written: {"node-monitor-grace-period", "50s"}.
using Setting = std::pair<std::string, std::string>;

/// Something that keeps what is wanted from happening.
struct Obstacle {
  std::string kind;  ///< "zone_queue", "zone_stopped", "server_paused", "back_off", …
  std::string what;
  std::optional<Duration> ends_in;  ///< nothing: nobody knows
};

/// What happens next if nothing changes.
struct Step {
  std::string what;
  std::optional<Duration> in;  ///< nothing: nobody knows when
  bool waits = true;           ///< not before all that is `held` is over
};

/// One decision of the past about it.
struct Past {
  Duration ago{0};
  Action action = Action::MarkUnknown;
  Outcome outcome = Outcome::UnderWay;
  std::string object;  ///< empty where it is what was asked about
  std::string detail;
  std::string why;
};

/// A zone's pace, of the zone asked about or of that in which the node is.
struct ZonePace {
  std::string name;
  std::string state;
  int ready = 0;
  int not_ready = 0;
  double nodes_per_second = 0;
  std::size_t waiting = 0;
  std::optional<std::size_t> place;  ///< of the node, from 1 on

  friend bool operator==(const ZonePace&, const ZonePace&) = default;
};

/// The facts, in the order in which a person asks for them.
struct Answer {
  Question about;
  bool known = true;  ///< false: there is no such thing now
  Answerer answerer;
  std::string state;  ///< of a closed set for each kind: "healthy", "silent", "tainted", …
  std::string is;     ///< the same in words
  std::optional<Duration> since;
  std::optional<LastHeard> heard;  ///< of a node, or of the node of a pod
  std::string rule;                ///< that decided so
  std::vector<Setting> settings;   ///< its numbers
  std::optional<ZonePace> zone;
  std::vector<Obstacle> held;
  std::vector<Step> next;
  std::vector<Past> past;         ///< the newest first
  std::vector<std::string> near;  ///< names like one that is not known
};

}  // namespace nlc::controller::why

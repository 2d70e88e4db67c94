#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/time.h"
#include "sim/loopback_transport.h"

/// Steps about one replica of the controller: its process, its network, its machine's calendar.
namespace nlc::sim::scenario {

/// Flags of the controller: names without dashes, and values.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Which replica of the controller a step is about.
struct Target {
  std::string replica;  ///< empty: the only one
  bool leader = false;  ///< instead: whoever leads at that moment
};

struct StartController {
  std::string replica;
  /// Somebody else holds the leader lease so long; unset: nobody does.
  std::optional<Duration> held_until;
  Settings flags{};  ///< of this replica alone; win over those of the case
  /// When it ends by itself it starts anew so much later, as a kubelet sees to; unset: nobody does.
  std::optional<Duration> restarts = {};
};

/// What a signal does to the process.
struct SignalController {
  enum class Signal : std::uint8_t {
    Stop,   ///< SIGTERM: what is under way is awaited, and the lease given back
    Kill,   ///< SIGKILL: it ends without a word, and no new one starts
    Pause,  ///< SIGSTOP: nothing of it runs until it is resumed; its connections stay open
    Resume  ///< SIGCONT
  };
  Target target;
  Signal signal = Signal::Stop;
};

/// The process ends without a word, and a new one without memory starts later.
struct RestartController {
  Target target;
  Duration down{0};
};

/// How the network between a replica and the server behaves.
struct SetLink {
  Target target;
  Link link = Link::Up;
};

/// The calendar of a replica's machine is ahead of everybody else's.
struct SetCalendar {
  Target target;
  Duration offset{0};
};

}  // namespace nlc::sim::scenario

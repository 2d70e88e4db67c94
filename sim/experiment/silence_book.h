#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.h"
#include "runtime/time.h"

namespace nlc::sim {

/// What a controller does about a machine that fell silent, in the usual order.
enum class Deed : std::uint8_t { Unknown, NoSchedule, NoExecute, PodsNotReady, PodsDeleted };
inline constexpr std::size_t deed_count = 5;
std::string_view name_of(Deed deed);

/// Notes for each machine that lost its power how long after the end of its grace each deed was
/// seen, and which machines were called Unknown though they had power. The grace counts from the
/// last heartbeat that was seen to move; of its pods the last one counts.
///
/// A machine that got its power back counts as one that has it from its first heartbeat on: what
/// was decided while it was dead may be seen a little later.
///
/// Pure; `now` never runs backwards. Fed with everything that a watcher of the cluster sees.
class SilenceBook {
 public:
  /// `grace`: the controller's --node-monitor-grace-period.
  explicit SilenceBook(Duration grace) : grace_(grace) {}

  struct Death {
    std::uint32_t pods = 0;  ///< that ran on it
    Instant at;
    WallTime wall;
  };
  void on_killed(const std::string& node, const Death& death);
  /// What is known until now is all that will be told of this death.
  void on_revived(const std::string& node);

  void on_node(const api::Node& node, Instant now);
  void on_lease(const api::NodeLease& lease, Instant now);
  void on_pod(const api::Pod& pod, Instant now);
  void on_pod_gone(const api::Pod& pod, Instant now);

  /// The watcher saw nothing for a while: what happened meanwhile is seen late.
  void on_gap() { ++gaps_; }

  /// Deaths of which nothing more is to come, each told once, as lines of JSON; those of the
  /// condemned stand between them.
  std::vector<std::string> take_lines();
  /// Tells what is known of all others.
  void close();
  /// One line of JSON over everything told: count, p50, p99 and maximum of each deed.
  std::string summary() const;

  /// Machines with power that were called Unknown, each once.
  std::size_t condemned() const { return condemned_.size(); }
  std::size_t deaths() const { return deaths_; }

 private:
  struct Story {
    Death death;
    std::array<std::optional<Instant>, deed_count> seen;
    std::set<std::string> pods_not_ready;
    std::set<std::string> pods_deleted;
  };
  enum class Power : std::uint8_t { On, Off, Back };
  struct Machine {
    std::optional<WallTime> renewed;
    std::optional<WallTime> reported;
    Instant last_beat;
    Power power = Power::On;
    bool unknown = false;
    std::optional<Story> story;
  };

  void beat(Machine& machine, Instant now);
  void note(const std::string& name, Machine& machine, Deed deed, Instant now);
  void note_unknown(const std::string& name, Machine& machine, Instant now);
  Machine* silenced(std::string_view node);
  bool complete(const Story& story) const;
  void tell(const std::string& name, Machine& machine);

  const Duration grace_;
  std::map<std::string, Machine, std::less<>> machines_;
  std::set<std::string> condemned_;
  std::size_t deaths_ = 0;
  std::size_t gaps_ = 0;
  std::array<std::vector<Duration>, deed_count> delays_;
  std::vector<std::string> lines_;
};

}  // namespace nlc::sim

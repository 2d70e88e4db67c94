#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/rules/first_breach.h"
#include "sim/rules/rule_inputs.h"

namespace nlc::sim::rules {

/// The rule `silent`: when the server last took a heartbeat of each node, and whether a node was
/// marked before it had been silent for its grace period.
class Silence {
 public:
  Silence(const RuleInputs& inputs, FirstBreach& breach) : inputs_(inputs), breach_(breach) {}

  /// The server took a heartbeat of that node, at that version.
  void heartbeat(const std::string& node, bool by_lease, std::uint64_t version, Instant at);
  /// Its lease is gone: it was renewed all the same.
  void lease_deleted(const std::string& node, Instant at);
  /// Another state took the place of the present one; what the server has forgotten was heard all
  /// the same.
  void begin_anew(Instant now);
  /// What that state has of a node.
  struct Stored {
    bool is_new = false;  ///< it begins to be silent now
    bool has_lease = false;
    std::uint64_t version = 0;  ///< of the node or of its lease, whichever is newer
  };
  void begin_with(const std::string& node, const Stored& stored, Instant now);

  /// The last heartbeat of that node that the server took.
  std::optional<Instant> last_heartbeat(const std::string& node) const;
  /// It has been silent for its grace period, or was so until a moment ago.
  bool may_be_marked(const std::string& node, Instant at) const;
  /// As far as anybody can say, the node has been silent for so long, or was so until a moment ago.
  bool has_been(const std::string& node, Duration span, Instant at) const;

  /// The time in which the server took no heartbeats and which has just ended, or the moment in
  /// which another state took its place, as long as kubelets that live have not all said how they
  /// are.
  std::optional<RuleInputs::Closed> just_ended(Instant at) const;

  /// Whoever leads has watched since then.
  void watched_since(Instant at) { watched_since_ = at; }
  /// The controller wrote on that node that it is silent.
  void judge_mark(const std::string& node, const std::string& what, Instant at);

 private:
  struct Heartbeat {
    Instant at;
    std::uint64_t version = 0;
  };
  struct Heartbeats {
    Instant last;
    std::uint64_t version = 0;         ///< of that one
    std::vector<Heartbeat> earlier{};  ///< those before it, of some minutes
    Instant before_restore = last;
    bool by_lease = false;
    std::optional<Instant> silent_until{};  ///< when a silence of a whole grace period last ended
    bool perhaps_lost = false;              ///< etcd has been restored since the last
    bool gone_unseen = false;           ///< its lease went since, behind a watch that stood still
    std::optional<std::string> mark{};  ///< made since then, and too early if another follows

    Instant before() const { return earlier.empty() ? last : earlier.back().at; }
    void forget_last();
  };

  bool was_listed(Instant heartbeat, Instant until) const;
  Duration open_time(const Heartbeats& known, Instant until) const;
  bool silent_but_for_an_unseen_one(const Heartbeats& known, Instant at) const;
  bool silent_by_the_one_before(const Heartbeats& known, Instant at, Duration span) const;
  Duration noticed_after(Instant from) const;
  bool is_short(const RuleInputs::Closed& closed) const;
  Instant seen_from(const RuleInputs::Closed& closed) const;
  Instant seen_until(const RuleInputs::Closed& closed) const;

  const RuleInputs& inputs_;
  FirstBreach& breach_;
  std::map<std::string, Heartbeats> nodes_;
  Instant watched_since_ = Instant::min();
  std::optional<Instant> restored_;
  bool restored_twice_ = false;  ///< before anybody had connected again
  Instant went_;                 ///< the server, before it came back with the last backup
  bool unseen_ = false;          ///< the last restore came while leases were hidden
};

}  // namespace nlc::sim::rules

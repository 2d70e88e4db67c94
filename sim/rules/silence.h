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

  enum class Source { Lease, Status };
  struct Heartbeat {
    Instant at;
    std::uint64_t version = 0;  ///< of what was written by it
  };
  /// The server took a heartbeat of that node.
  void heard(const std::string& node, Source source, const Heartbeat& heartbeat);
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

  /// The outage which has just ended, or the moment in which another state took the place of the
  /// present one, as long as kubelets that live have not all said how they are.
  std::optional<RuleInputs::Outage> just_ended(Instant at) const;

  /// Whoever leads has watched since then.
  void watched_since(Instant at) { watched_since_ = at; }
  /// The controller wrote on that node that it is silent.
  void judge_mark(const std::string& node, const std::string& what, Instant at);

 private:
  struct Heartbeats {
    Heartbeat last;
    std::vector<Heartbeat> earlier{};  ///< those before it, of some minutes
    Instant before_restore = last.at;
    bool has_lease = false;
    std::optional<Instant> silent_until{};  ///< when a silence of a whole grace period last ended
    bool perhaps_lost = false;              ///< etcd has been restored since the last
    bool gone_unseen = false;           ///< its lease went since, behind a watch that stood still
    std::optional<std::string> mark{};  ///< made since then, and too early if another follows

    void add(const Heartbeat& heartbeat);
    void forget_last();
  };
  /// The last restore.
  struct Restore {
    Instant at;
    Instant down_since;             ///< the server, before it came back with the backup
    bool follows_another = false;   ///< before anybody had connected again
    bool leases_unwatched = false;  ///< at it, or when the server went
  };

  Restore restore_at(Instant now) const;
  bool was_listed(Instant heartbeat, Instant until) const;
  bool may_be_known(const Heartbeat& taken_back) const;
  Duration silent_for(const Heartbeats& known, Instant until) const;
  bool has_passed(Duration span, const Heartbeats& known, Instant at) const;
  bool has_passed_since_the_one_before(Duration span, const Heartbeats& known, Instant at) const;
  bool silent_but_for_an_unseen_one(const Heartbeats& known, Instant at) const;
  Duration noticed_after(Instant from) const;
  bool is_short(const RuleInputs::Outage& outage) const;
  Instant seen_from(const RuleInputs::Outage& outage) const;
  Instant seen_until(const RuleInputs::Outage& outage) const;

  const RuleInputs& inputs_;
  FirstBreach& breach_;
  std::map<std::string, Heartbeats> nodes_;
  Instant watched_since_ = Instant::min();
  std::optional<Restore> restore_;
};

}  // namespace nlc::sim::rules

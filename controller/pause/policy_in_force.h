#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/objects.h"
#include "controller/pause/operator_policy.h"
#include "runtime/time.h"

namespace nlc::controller {

/// How the operator's ConfigMap stands.
enum class PolicyState : std::uint8_t { Unread, Absent, Read, Malformed, Forbidden };
/// "unread", "absent", ….
std::string_view name_of(PolicyState state);

/// How its watch stands.
struct PolicyAccess {
  std::uint64_t lists = 0;    ///< complete ones: so often was what is there read as a whole
  std::uint64_t rewinds = 0;  ///< those of them that were older than what had been seen
  bool forbidden = false;     ///< the server refuses the right to, now
  std::string trouble;        ///< why it cannot be read now; empty when all is well
};

/// Which policy counts: the last one that could be read (docs/decisions).
///
/// Nobody is evicted before something is known: that the ConfigMap says something, that there is
/// none, or that for `refusal_believed_after` the server has refused the right to look, which a
/// process that never had it takes for none. A key that cannot be read changes nothing that is
/// known, unless words may have been missed before it; the others count.
///
/// A watch may be behind, and so may a list. So before a pod goes, or a node is tainted NoExecute,
/// the ConfigMap is read by quorum, unless that was done in the last `good_for`; what the read
/// shows counts at once. Whom it holds does not ask whether that is over: while it holds somebody,
/// or something of it is not known, it is read as often, whatever its watch says. That it is gone,
/// or as it was before what was seen, only its watch says, or a list: where a read says so nobody
/// goes before they do. A list may be of another time than what was seen: of what it changes
/// nothing is known before a quorum read has said so. So is one that comes without what only a read
/// had found: then the next read says what there is.
///
/// Pure, on one thread.
class PolicyInForce {
 public:
  /// A server that comes up may refuse for a moment what it will allow, a quorum read too.
  static constexpr Duration refusal_believed_after = std::chrono::seconds(30);
  static constexpr Duration good_for = std::chrono::seconds(10);

  // What its watch shows, or a list.

  void stored(const api::ConfigMap& config);
  void removed();
  void follow(const PolicyAccess& access, Instant now);

  bool known() const { return known_; }
  const OperatorPolicy& policy() const { return policy_; }
  PolicyState state() const;
  /// What is wrong, and what follows from that; empty when all is well.
  std::string trouble() const;
  // The quorum read.

  bool confirmed(Instant now) const { return confirmed_ && now - *confirmed_ <= good_for; }
  /// Somebody waits for it.
  void want_look() { wanted_ = true; }
  /// Somebody is held, and does not ask.
  void keep_looking(Instant now) {
    if (now - looked_.value_or(now) >= good_for) wanted_ = true;
  }
  bool look_due(Instant now) const {
    return (wanted_ || unsure_since_) && !asked_ && now >= ask_after_;
  }
  void look_begun(Instant now) {
    wanted_ = false;
    asked_ = looked_ = now;
    version_when_asked_ = version_;
  }
  /// True: it is to be listed anew, for its watch is behind, or shows one where there is none.
  bool look_answered(const Result<api::ConfigMap>& found, Instant now);

  /// How often it was read in an older version than was known when that was asked for.
  std::uint64_t rewinds() const { return rewinds_; }

  /// This process stood still until now: what was said meanwhile may wait for it, not read yet.
  void stood_still(Instant now);
  /// What counts is to be asked, or was and could not be answered: nobody is evicted before that.
  bool is_unsure() const { return unsure_since_ || !look_failed_.empty(); }

  /// The server, or the way to it, said no.
  bool is_refused() const { return !access_.trouble.empty() || !look_failed_.empty(); }
  /// Of the ConfigMap; empty where there is none.
  const std::string& uid() const { return uid_; }
  /// Something of that is another since the last call.
  bool take_changed() { return std::exchange(changed_, false); }

 private:
  void take(const api::ConfigMap& config);
  void take_none();
  void skipped_words();
  bool holds_somebody() const;
  std::string_view contradiction_of(const Result<api::ConfigMap>& found, bool settles) const;
  bool is_believed(Fault look, Instant now) const;
  bool take_look(const Result<api::ConfigMap>& found, Instant asked, bool settles);

  OperatorPolicy policy_;
  PolicyAccess access_;
  bool known_ = false;
  bool there_ = false;
  bool changed_ = true;
  std::string uid_;
  std::string version_;             ///< that counts; empty: there is none
  std::string version_when_asked_;  ///< the same when the last read was begun
  std::uint64_t rewinds_ = 0;
  std::string shown_;                 ///< by its watch
  std::optional<Instant> confirmed_;  ///< by a read that was asked then
  bool wanted_ = false;
  std::optional<Instant> asked_;   ///< a read is on its way since then
  std::optional<Instant> looked_;  ///< the last one was begun, or its first list
  Instant ask_after_ = Instant::min();
  std::string look_failed_;
  std::string malformed_;
  bool news_ = false;                    ///< since the last `follow`
  bool of_another_time_ = false;         ///< a list said what counts, or contradicts a read
  std::optional<Instant> unsure_since_;  ///< only a read that was asked later counts
  std::optional<Instant> forbidden_since_;
  std::optional<Instant> looks_forbidden_since_;
};

}  // namespace nlc::controller

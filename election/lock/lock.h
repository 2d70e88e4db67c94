#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "client/event_recorder.h"
#include "client/transport.h"
#include "client/verbs.h"
#include "election/election_options.h"
#include "election/lock/lock_object.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"

namespace nlc::election {

/// One lock on the server: an object, or the pair of objects of a migration
/// (spec/leader-election.md "Migration locks"). Reads, creates and writes it; never decides.
///
/// A pair is shown as one lock: its record is the primary's while both name the same holder, and
/// names `unknown_holder` while they differ. A write succeeds only if both objects were written;
/// but if the second is older than was known it is left so, and the pair is answered as it stands.
///
/// One operation at a time: beginning another, or `drop`, cancels the former. Its callback is not
/// called, and no more of its requests are sent.
class Lock {
 public:
  struct Env {
    client::Transport& transport;
    const Clock& clock;
  };
  using Done = client::Done<LockRecord>;

  /// An operation, all of its requests together, is one try.
  Lock(Env env, const ElectionOptions& options);
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  /// Absent: Fault::NotFound.
  void read(Done done);
  void create(const LockRecord& record, Done done);
  /// At `record.version`. Only what was read or created before can be written.
  void write(const LockRecord& record, Done done);
  void drop() { callbacks_.restart(); }

  /// Its objects, and what is remembered of them. A pair has two, the primary first.
  std::vector<LockPlace> places() const;
  std::vector<client::EventSubject> subjects() const;
  /// Of the object at `places()[index]`; empty: none is known.
  std::string version_of(std::size_t index) const;
  /// The same of the one that is a Lease; empty as well where none is.
  std::string lease_version() const;
  bool is_pair() const { return secondary_.has_value(); }
  /// Of both objects of a pair, if `seen` is what has become of the one at `place`.
  std::string pair_version_with(const LockPlace& place, const LockRecord& seen) const;

  /// Whether a watch shows a newer state of this object than is remembered, and none that the
  /// server has lost.
  bool is_news(const LockPlace& place, const LockChange& change) const;
  /// Remembers news that a watch showed; the next PUT is made from it.
  void note(const LockPlace& place, const LockChange& change);

  /// Named when the two of a pair disagree.
  static constexpr const char* unknown_holder = "leaderelection.k8s.io/unknown";

 private:
  struct Part {
    LockPlace place;
    std::optional<LockObject> object;  ///< the last good one
    /// Versions that the server had and was then seen not to have, the newest last: a cache that
    /// did not follow a restore goes on showing one of them.
    std::deque<std::string> lost;
  };
  enum class Verb { Read, Create, Write };

  void begin();
  client::Request request_for(const Part& part, Verb verb, const LockRecord& record) const;
  void ask(Part& part, Verb verb, const LockRecord& record, Done done);
  static Result<LockRecord> taken_in(Part& part, Result<client::Response> response,
                                     const client::Request& name, const std::string& known);
  static void remember(Part& part, LockObject answered, const std::string& known_when_asked);
  static void lose(Part& part, const std::string& version);
  bool is_primary(const LockPlace& place) const { return place.carrier == primary_.place.carrier; }
  static void join(LockRecord primary, Result<LockRecord> secondary, const Done& done);
  void write_secondary(const LockRecord& record, Done done);
  void end_with(Verb verb, const LockRecord& record, Done done);
  static LockRecord joined(const LockRecord& primary, const LockRecord& secondary);

  const Env env_;
  const Duration limit_;
  Part primary_;
  std::optional<Part> secondary_;
  Instant deadline_;
  CallbackScope callbacks_;  ///< of the operation in hand; what it asked may answer too late
};

}  // namespace nlc::election

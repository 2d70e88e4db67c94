#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/transport.h"
#include "election/election_options.h"
#include "election/lock.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/log.h"

namespace nlc::election {

/// Asks, before a candidate contends for the first time, whether somebody else still leads by a
/// lock of another kind under the same name: a jump from `endpoints` to `leases` would give two
/// leaders (#80289, #106852). Locks of a pair share an object with either neighbour and are not
/// asked about.
///
/// A lock that nobody holds, or that does not move for its whole lease, is dead. One that may not
/// be read is said so in the log and taken for dead: most clusters never had it.
class MigrationCheck {
 public:
  struct World {
    client::Transport& transport;
    const Clock& clock;
    Executor& executor;
    Log& log;
  };
  /// Nothing, or why this candidate must not contend, with what to do instead.
  using Done = std::function<void(std::optional<std::string> refusal)>;

  /// Begins at once; `done` is called once, later, and may destroy this.
  MigrationCheck(World world, const ElectionOptions& options, Done done);

 private:
  struct Other {
    LockKind kind;
    std::unique_ptr<Lock> lock;
    std::optional<LockRecord> first;  ///< as it was first seen
    Instant since;
    bool dead = false;
  };

  void look();
  void look_at(std::size_t index);
  bool judge(Other& other, Result<LockRecord> found);
  void note_trouble(const Error& error);
  bool is_expired(const Other& other) const;
  std::string words(const Other& other) const;

  const World world_;
  const ElectionOptions options_;
  const Done done_;
  Lock own_;
  std::string own_holder_;
  std::set<std::string> told_;  ///< troubles
  std::vector<Other> others_;
  Timer again_;
};

}  // namespace nlc::election

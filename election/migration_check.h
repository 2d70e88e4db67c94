#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/transport.h"
#include "election/election_options.h"
#include "election/lock/lock.h"
#include "runtime/clock.h"
#include "runtime/log.h"

namespace nlc::election {

/// Whether somebody else still leads by a lock of another kind under the same name: a jump from
/// `endpoints` to `leases` would give two leaders (#80289, #106852). The elector asks before it
/// takes a lock that it does not hold, about each object that its own kind leaves alone.
///
/// A lock that was given back or never held, or that was not renewed for its whole lease duration,
/// is dead. One that we may not read is logged once and taken for dead: most clusters never had it.
/// What was seen is remembered from one check to the next.
///
/// On the executor's thread.
class MigrationCheck {
 public:
  struct Env {
    client::Transport& transport;
    const Clock& clock;
    Log& log;
  };
  /// Why this candidate must not take the lock now.
  struct Reason {
    std::string kind;  ///< one of a few, for `Trouble`
    std::string text;  ///< with what to do instead
  };
  using Done = std::function<void(std::optional<Reason>)>;

  MigrationCheck(Env env, const ElectionOptions& options);

  /// Reads the other locks once; `done` is called once, later. `own_holder` holds the lock that is
  /// to be taken: what he holds besides is half of a pair, and dead with him unless it moves.
  /// Asking again, or `drop`, cancels the former check.
  void ask(const std::string& own_holder, Done done);
  void drop();
  bool was_answered() const { return was_answered_; }

 private:
  struct Other {
    LockKind kind;
    std::unique_ptr<Lock> lock;
    std::optional<LockRecord> seen;
    Instant since;  ///< when that was seen to change; half of a pair ends with its holder
    bool told_unreadable = false;
    std::optional<Reason> reason;
  };

  std::optional<Reason> judge(Other& other, Result<LockRecord> found,
                              const std::string& own_holder);
  std::optional<Reason> judge_failure(Other& other, const Error& error);
  std::optional<Reason> until_it_ends(Other& other);
  void answered(const Done& done);
  bool is_expired(const Other& other) const;
  std::string named(const Other& other) const;
  std::string refusal(const Other& other) const;

  const Env env_;
  const ElectionOptions options_;
  std::vector<Other> others_;
  bool was_answered_ = false;
  std::size_t awaited_ = 0;  ///< answers
};

}  // namespace nlc::election

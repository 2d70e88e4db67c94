#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "client/gate.h"
#include "client/transport.h"
#include "election/election_machine.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/log.h"

namespace nlc::election {

struct ElectorWorld {
  client::Transport& transport;
  const Clock& clock;
  Executor& executor;
  Log& log;
  client::Gate&
      gate;  ///< opened while this process leads, and never for longer than its lease is valid
  std::uint64_t seed = 0;
};

/// What the elector tells: on the executor, in order, never from within a call to it, and nothing
/// after its end.
struct ElectorEvents {
  std::function<void(bool leading)> on_change;            ///< this process began or ceased to lead
  std::function<void(const std::string&)> on_new_leader;  ///< in order; empty: nobody
  std::function<void()> on_renewed;                       ///< the server took a write of ours
};

/// Drives an ElectionMachine over a Lease. Contests from construction on, and again after every
/// loss.
class Elector {
 public:
  Elector(ElectorWorld world, ElectionOptions options, ElectorEvents events);
  ~Elector();

  /// Ends the reign, gives the lease back, and calls `done` when that is over or `patience` has
  /// passed; nothing is sent after that. At most once.
  void stop(Duration patience, std::function<void()> done);

  bool leading() const { return machine_.leads(world_.clock.now()); }

 private:
  void perform(const ElectionStep& step);
  void begin(const ReadLock&);
  void begin(const CreateLock& step);
  void begin(const WriteLock& step);
  void begin(const Pause& step);
  void begin(const Finished&);
  void answered(Result<api::Lease> lock, Instant sent);
  void note_trouble(const Error& error);
  void publish();
  void tell(std::function<void()> news);
  Duration attempt_limit() const;

  ElectorWorld world_;
  const ElectionOptions options_;
  const ElectorEvents events_;
  ElectionMachine machine_;
  bool was_leading_ = false;
  std::string told_leader_;
  std::string trouble_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::shared_ptr<bool> current_;  ///< whether the step in hand is still wanted
  Timer timer_;
  Timer end_of_reign_;
  Timer patience_;
  std::function<void()> on_stopped_;
};

}  // namespace nlc::election

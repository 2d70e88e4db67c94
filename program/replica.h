#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/draining_transport.h"
#include "client/endpoint.h"
#include "client/limits/gate.h"
#include "client/observed_transport.h"
#include "client/reading_transport.h"
#include "client/server_clock.h"
#include "client/transport.h"
#include "controller/live/tracker.h"
#include "controller/loop/loop.h"
#include "controller/rules/health.h"
#include "controller/why/answer.h"
#include "election/elector.h"
#include "metrics/metrics.h"
#include "program/flags.h"
#include "program/guarded_pages.h"
#include "program/operations_pages.h"
#include "program/status_pages.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/log.h"

namespace nlc::program {

/// What a replica runs in: the real world, or a simulated one.
struct ReplicaEnv {
  client::Transport& transport;  ///< lets writes pass only while `gate` is open
  client::Gate& gate;            ///< nobody else's, and closed
  const Clock& clock;
  Executor& executor;
  Log& log;
  std::string server;    ///< HOST:PORT, as metrics name it
  std::string identity;  ///< as a candidate: no other replica's, in no other life
  std::uint64_t seed = 0;
  std::string version = NLC_VERSION;
  /// What cannot be read of the credentials now, though the old ones are in use. From any thread.
  std::function<std::optional<std::string>()> credentials_trouble = {};
  /// Of the ports, where they have a thread of their own; else `executor`.
  Executor* ports_executor = nullptr;
  /// Gives freed memory back to the system.
  std::function<void()> give_back_memory = {};
};

/// One replica of the program that ships: the controller, its election and whatever lies between
/// them and the world. Nobody else puts a controller together, so what is simulated is what is
/// shipped.
///
/// On the executor's thread, but for its pages. When it is destroyed it ends as a killed process
/// does: without a word.
class Replica {
 public:
  /// `ended` is called once, with the code to exit with, when the replica stopped, or lost its lock
  /// and is to end then; posted, so that it may destroy the replica.
  Replica(ReplicaEnv env, Flags flags, std::function<void(int exit_code)> ended);
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  void start();

  /// As on SIGTERM: within two seconds, first the writes that are under way end, for a successor
  /// may begin in the moment of the release, then the lock is released. Where they do not end in
  /// time nothing is released: the lease runs out by itself. Who asks again hastens nothing.
  void stop();

  /// From any thread.
  client::Endpoint& pages() { return pages_; }
  /// The same, for callers whom the API server lets read them; on the ports' thread.
  client::Endpoint& guarded_pages() { return guarded_pages_; }
  /// On the ports' thread.
  client::Endpoint& status() { return status_; }
  /// What it knows of something, and what it will do.
  controller::why::Answer why(const controller::why::Question& question) const;
  /// What of the cluster is another than when this tracker looked last.
  controller::live::Change look(controller::live::Tracker& tracker, WallTime now) const;
  /// What it has compared; nothing where it performs what it decides.
  std::optional<controller::observe::Record> observed() const;
  metrics::Metrics& metrics() { return metrics_; }
  const metrics::Metrics& metrics() const { return metrics_; }
  const controller::HealthBoard& health() const { return health_; }
  /// The lines of `/readyz?verbose`.
  std::vector<controller::HealthCheck> readiness() const { return pages_.readiness(); }
  /// Whether it may write.
  bool leads(Instant now) const { return env_.gate.is_open(now); }

 private:
  /// From us to the server. Every answer is looked at; of one that observes the server hears
  /// questions, and that it holds its lock; the controller's writes can be waited for.
  struct ServerPath {
    ServerPath(const ReplicaEnv& env, const Flags& flags, metrics::Metrics& metrics);

    client::ServerClock clock;
    client::ObservedTransport observed;
    std::unique_ptr<client::ReadingTransport> reading;  ///< only of one that observes
    client::Transport& lock;                            ///< the elector's way
    client::DrainingTransport controller;               ///< the loop's
    client::Gate nobodys;
    /// By which it decides. Of one that observes it is another than the one to the server, which
    /// nobody opens.
    client::Gate& gate;
  };

  void tell_observed();
  Executor& ports() const { return env_.ports_executor ? *env_.ports_executor : env_.executor; }
  bool contests() const { return flags_.leader_elect.enabled; }
  bool is_cold() const { return contests() && flags_.leader_elect.standby == Standby::Cold; }
  void start_loop();
  void show_life();
  void contest();
  Instant last_worked() const;
  void on_leadership(bool leads);
  void end_when_lost();
  void end(int exit_code);

  const ReplicaEnv env_;
  const Flags flags_;
  std::function<void(int)> ended_;  ///< until it is called
  metrics::Metrics metrics_;
  controller::HealthBoard health_;
  election::LeaderStatusBoard leader_status_;
  OperationsPages pages_;
  ServerPath server_;
  std::optional<controller::Loop> loop_;
  Instant loop_started_;
  std::optional<election::Elector> elector_;
  Timer sign_of_life_;
  Timer summary_;
  Timer loss_;  ///< the end of what others wait for, with the gate shut
  Timer drain_end_;
  controller::live::Tracker tracker_;  ///< of the live page
  StatusPages status_;
  GuardedPages guarded_pages_;
  bool stopping_ = false;
  CallbackScope callbacks_;
};

}  // namespace nlc::program

#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/lease.h"
#include "election/elector.h"
#include "metrics/metrics.h"
#include "sim/loopback_transport.h"
#include "sim/stoppable_executor.h"
#include "tests/election/candidate.h"
#include "tests/memory_log.h"
#include "tests/sim/apiserver/api_client.h"

/// Electors against the embedded API server, in virtual time.
namespace nlc::election::testing {

using namespace std::chrono_literals;
using sim::FaultRule;
using sim::Json;
using sim::Link;
using FaultAction = sim::FaultRule::Action;

inline const std::string lock_path =
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/node-lifecycle-controller";
inline const std::string locks_path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

/// One process that contests, on a link of its own, and what it was told.
struct Contender {
  Contender(sim::ApiWorld& world, std::string name, std::uint64_t seed = 1,
            ElectionOptions how = {})
      : world_(world),
        identity(std::move(name)),
        process(world.time),
        options(std::move(how)),
        has_fixed_name(!options.identity.empty()),
        link({process, world.time, world.server, gate}, {.user_agent = identity}),
        name_(identity) {
    run(seed);
  }

  void run(std::uint64_t seed = 1) {
    if (!has_fixed_name) options.identity = identity;
    elector = std::make_unique<Elector>(
        ElectorEnv{.transport = link,
                   .clock = world_.time,
                   .executor = process,
                   .log = log,
                   .gate = gate,
                   .seed = seed,
                   .metrics = metrics.election("test"),
                   .board = &board,
                   .last_worked = last_worked},
        options,
        ElectorEvents{.on_change = [this](bool leading) { told.push_back(leading); },
                      .on_new_leader = [this](const std::string& name) { leaders.push_back(name); },
                      .on_lock_written =
                          [this](const std::string& version, Instant) {
                            ++lock_writes;
                            written_version = version;
                          },
                      .on_server_went_back = [this] { ++went_back; }});
  }
  /// As if the process had ended and begun anew, under a name of its own if it has no fixed one.
  void restart(std::uint64_t seed) {
    elector.reset();
    process.go_on();
    identity = name_ + "-" + std::to_string(++restarts_);
    run(seed);
  }
  void stop(Duration timeout = 1500ms) {
    elector->stop(timeout, [this] { stopped_at = world_.time.now(); });
  }

  bool may_write() const { return gate.is_open(world_.time.now()); }
  /// Until when it respects the leader that it last saw.
  Instant respects_until() const { return elector->leader_status().leader_until; }
  /// In its last look.
  bool has_seen_a_holder() const { return !elector->leader_status().leader.empty(); }

 private:
  sim::ApiWorld& world_;
  int restarts_ = 0;

 public:
  std::string identity;
  sim::StoppableExecutor process;
  ElectionOptions options;
  const bool has_fixed_name;  ///< by `how`: other candidates may have the same
  std::function<Instant()> last_worked;
  metrics::Metrics metrics{"test"};
  LeaderStatusBoard board;
  client::Gate gate;
  sim::LoopbackTransport link;
  tests::MemoryLog log;
  std::vector<bool> told;
  std::vector<std::string> leaders;
  int lock_writes = 0;
  int went_back = 0;            ///< how often that was told of the server
  std::string written_version;  ///< as last told
  std::optional<Instant> stopped_at;
  std::unique_ptr<Elector> elector;

 private:
  const std::string name_;
};

struct ElectionWorld : sim::ApiWorld {
  ElectionWorld() : ApiWorld(observed()) {}

  sim::ApiServerOptions observed() {
    sim::ApiServerOptions options;
    options.intercept = [this](const sim::RequestInfo& info,
                               const client::IncomingRequest& request) {
      const bool of_a_lease = info.resource != "endpoints" && info.resource != "configmaps";
      if (info.verb != "watch") resources.push_back(info.verb + " " + info.resource);
      if (info.verb != "watch" && (of_a_lease || info.verb != "get")) {
        requests.push_back(request.user_agent + " " + info.verb);
        times.push_back(time.now());
      }
      return std::optional<client::Response>();
    };
    return options;
  }

  /// Empty where there is none, and while the server answers nobody.
  api::Lease lock() {
    const auto answer = get(lock_path);
    if (!answer.response) return {};
    const Result<api::Lease> found = api::decode_lease(answer.response->body);
    return found ? *found : api::Lease{};
  }
  /// Somebody else makes the lock.
  void create_lock(const std::string& holder) {
    post(locks_path, {{"apiVersion", "coordination.k8s.io/v1"},
                      {"kind", "Lease"},
                      {"metadata", {{"name", "node-lifecycle-controller"}}},
                      {"spec", {{"holderIdentity", holder}, {"leaseDurationSeconds", 15}}}});
  }
  /// Somebody else writes the record.
  void seize(const std::string& holder) {
    Json taken = get(lock_path).json();
    taken["spec"]["holderIdentity"] = holder;
    ASSERT_EQ(put(lock_path, taken).status(), 200);
  }
  /// Somebody else writes what is not the record.
  void touch() {
    ASSERT_EQ(patch(lock_path, {{"metadata", {{"annotations", {{"note", "seen"}}}}}}, "merge-patch")
                  .status(),
              200);
  }
  std::vector<std::string> take_requests() {
    times.clear();
    resources.clear();
    return std::exchange(requests, {});
  }
  void fault(const std::string& agent, const std::string& verb, FaultAction action,
             Duration delay = {}, std::uint64_t times_used = 1'000'000) {
    server.faults().add(
        FaultRule::doing({.verb = verb, .resource = "leases", .user_agent = agent}, action, delay)
            .at_most(times_used));
  }
  /// Lets time pass in small steps and looks at each.
  template <typename Look>
  void watch_for(Duration span, Duration step, Look look) {
    for (Duration passed{0}; passed < span; passed += step) {
      time.run_for(step);
      look();
    }
  }

  /// As they arrived: who, and what. Without looks at the locks of another kind.
  std::vector<std::string> requests;
  std::vector<std::string> resources;  ///< all: what, and of which kind
  std::vector<Instant> times;
};

}  // namespace nlc::election::testing

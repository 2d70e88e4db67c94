#pragma once

#include <optional>
#include <string>
#include <utility>

#include "api/lease.h"
#include "client/verbs.h"
#include "runtime/callback_scope.h"
#include "runtime/random.h"
#include "tests/election/election_world.h"

namespace nlc::election::testing {

/// A candidate by upstream's rules of time (spec/leader-election.md "Loops and timing"): it leads
/// until it has failed to renew for the renew deadline, counted from the beginning of the attempt,
/// whatever it reads meanwhile. Two of them overlap: a bug planted, to see that it would be found.
class UpstreamContender {
 public:
  UpstreamContender(ElectionWorld& world, std::string name, std::uint64_t seed)
      : identity(std::move(name)),
        process(world.time),
        link({process, world.time, world.server, gate}, {.user_agent = identity}),
        name_(identity),
        world_(world),
        random_(seed) {
    attempt();
  }

  bool may_write() const { return leads_; }
  Instant respects_until() const { return observed_ + lease; }
  bool has_seen_a_holder() const { return seen_ && !seen_->holder.empty(); }

  void restart(std::uint64_t seed) {
    callbacks_.restart();
    timer_.end();
    give_up_.end();
    process.go_on();
    identity = name_ + "-" + std::to_string(++restarts_);
    leads_ = false;
    seen_.reset();
    random_ = Random(seed);
    attempt();
  }

  std::string identity;
  sim::StoppableExecutor process;
  client::Gate gate;
  sim::LoopbackTransport link;

 private:
  void attempt() {
    client::get_lease(
        link, client::RequestPriority::Election, "kube-system", "node-lifecycle-controller",
        deadline, callbacks_.guard([this](Result<api::Lease> found) { read(std::move(found)); }));
  }

  void read(Result<api::Lease> found) {
    const Instant now = world_.time.now();
    const bool absent = !found && found.error().fault == Fault::NotFound;
    if (!found && !absent) return failed();
    api::Lease mine;
    if (found) {
      const bool changed = !seen_ || seen_->resource_version != found->resource_version;
      seen_ = *found;
      if (changed) observed_ = now;
      const bool held = !seen_->holder.empty() && seen_->holder != identity;
      if (held && observed_ + lease > now) return failed();
      mine = *found;
    }
    mine.namespace_ = "kube-system";
    mine.name = "node-lifecycle-controller";
    mine.holder = identity;
    mine.duration_seconds = 15;
    mine.acquired = mine.renewed = world_.time.wall_now();
    write(mine, absent);
  }

  void write(const api::Lease& mine, bool absent) {
    const auto done = callbacks_.guard([this](Result<api::Lease> taken) {
      if (!taken) return failed();
      seen_ = *taken;
      observed_ = world_.time.now();
      leads_ = true;
      again(period, true);
    });
    if (absent)
      return client::create_lease(link, client::RequestPriority::Election, mine, deadline, done);
    client::update_lease(link, client::RequestPriority::Election, mine, deadline, done);
  }

  void failed() {
    const Instant now = world_.time.now();
    if (leads_ && now >= poll_began_ + deadline) leads_ = false;
    if (leads_) return again(period, false);
    again(random_.between(period, period * 22 / 10), false);
  }

  void again(Duration wait, bool new_poll) {
    timer_ = process.run_at(world_.time.now() + wait, [this, new_poll] {
      if (new_poll) begin_poll();
      attempt();
    });
  }

  /// The context of the poll ends with its deadline, and the leadership with it.
  void begin_poll() {
    poll_began_ = world_.time.now();
    give_up_ = process.run_at(poll_began_ + deadline, [this, began = poll_began_] {
      if (poll_began_ == began && leads_ && observed_ < began) leads_ = false;
    });
  }

  static constexpr Duration lease = 15s;
  static constexpr Duration deadline = 10s;
  static constexpr Duration period = 2s;

  const std::string name_;
  int restarts_ = 0;
  ElectionWorld& world_;
  Random random_;
  bool leads_ = false;
  std::optional<api::Lease> seen_;
  Instant observed_;
  Instant poll_began_;
  Timer timer_;
  Timer give_up_;
  CallbackScope callbacks_;
};

}  // namespace nlc::election::testing

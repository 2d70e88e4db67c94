#include "program/replica.h"

#include <algorithm>
#include <utility>

#include "controller/options/unsafe_timings.h"
#include "controller/why/explain.h"
#include "program/election_check.h"
#include "program/observe_summary.h"

namespace nlc::program {
namespace {

/// A stop has to be over within 2 s.
constexpr Duration drain_timeout = std::chrono::milliseconds(800);
constexpr Duration release_timeout = std::chrono::milliseconds(1000);

/// How often a cold standby, which has no loop, gives its sign of life.
constexpr Duration sign_of_life_period = std::chrono::seconds(1);

/// How often an observer logs its table.
constexpr Duration summary_period = std::chrono::hours(1);

election::ElectionOptions election_options(const Flags& all, std::string identity) {
  const LeaderElectFlags& flags = all.leader_elect;
  return {.identity = std::move(identity),
          .lease_namespace = flags.resource_namespace,
          .lease_name = flags.resource_name,
          .lease_duration = flags.lease_duration,
          .renew_deadline = flags.renew_deadline,
          .retry_period = flags.retry_period,
          .lock = *election::lock_kind(flags.resource_lock),
          .event_component = all.loop.observe ? "" : "node-lifecycle-controller"};
}

/// What an observer says to the server: questions, and that it holds its lock.
std::unique_ptr<client::ReadingTransport> reading(client::Transport& inner, Executor& executor,
                                                  const Flags& flags) {
  if (!flags.loop.observe) return nullptr;
  const LeaderElectFlags& elect = flags.leader_elect;
  std::optional<client::ReadingTransport::Lock> lock;
  if (elect.enabled) lock = {elect.resource_namespace, elect.resource_name};
  return std::make_unique<client::ReadingTransport>(inner, executor, std::move(lock));
}

}  // namespace

Replica::Replica(ReplicaEnv env, Flags flags, std::function<void(int)> ended)
    : env_(std::move(env)),
      flags_(std::move(flags)),
      ended_(std::move(ended)),
      metrics_(env_.version),
      pages_(metrics_, health_, env_.clock,
             [this](Instant now, OperationsPages::Question question) {
               const auto& trouble = env_.credentials_trouble;
               return election_check(*leader_status_.read(), trouble ? trouble() : std::nullopt,
                                     now, question);
             }),
      server_(env_, flags_, metrics_),
      status_({.controller = env_.executor, .port = ports(), .clock = env_.clock},
              {.explain = [this](const auto& question) { return why(question); },
               .observed = [this] { return observed(); },
               .live = {.look = [this] { return look(tracker_, env_.clock.wall_now()); },
                        .forget = [this] { tracker_ = {}; }}}),
      guarded_pages_({.transport = server_.observed,
                      .controller = env_.executor,
                      .port = ports(),
                      .clock = env_.clock,
                      .log = env_.log},
                     pages_) {}

Replica::ServerPath::ServerPath(const ReplicaEnv& env, const Flags& flags,
                                metrics::Metrics& metrics)
    : observed(env.transport,
               {.clock = env.clock, .metrics = metrics, .server_clock = clock, .host = env.server}),
      reading(program::reading(observed, env.executor, flags)),
      lock(reading ? static_cast<client::Transport&>(*reading) : observed),
      controller(lock, env.executor),
      gate(reading ? nobodys : env.gate) {}

void Replica::start() {
  const double limit = flags_.loop.limits.requests_per_second;
  std::optional<Duration> retry_period;
  if (contests()) retry_period = flags_.leader_elect.retry_period;
  for (const controller::Warning& warning :
       controller::unsafe_timings(flags_.loop.policy, limit, retry_period)) {
    env_.log.warning("unsafe timing",
                     {{"rule", std::string(warning.rule)}, {"why", warning.message}});
  }
  if (flags_.loop.observe) {
    env_.log.info("observing, nothing is performed");
    summary_ = env_.executor.run_at(env_.clock.now() + summary_period, [this] { tell_observed(); });
  }
  if (!contests()) server_.gate.open_for_ever();
  is_cold() ? show_life() : start_loop();
  if (contests()) contest();
}

void Replica::start_loop() {
  loop_started_ = env_.clock.now();
  loop_.emplace(controller::LoopEnv{.transport = server_.controller,
                                    .clock = env_.clock,
                                    .executor = env_.executor,
                                    .log = env_.log,
                                    .metrics = metrics_,
                                    .gate = server_.gate,
                                    .health = health_,
                                    .server_clock = server_.clock,
                                    .seed = env_.seed,
                                    .give_back_memory = env_.give_back_memory},
                flags_.loop);
}

/// A cold standby is alive, too, and ready for what it is there for.
void Replica::show_life() {
  const Instant now = env_.clock.now();
  if (!loop_) health_.publish({{.name = "cold-standby", .ok = true, .detail = {}}}, now);
  sign_of_life_ = env_.executor.run_at(now + sign_of_life_period, [this] { show_life(); });
}

void Replica::contest() {
  elector_.emplace(
      election::ElectorEnv{.transport = server_.lock,
                           .clock = env_.clock,
                           .executor = env_.executor,
                           .log = env_.log,
                           .gate = server_.gate,
                           .seed = env_.seed,
                           .metrics = metrics_.election(flags_.leader_elect.resource_name),
                           .board = &leader_status_,
                           .last_worked = [this] { return last_worked(); }},
      election_options(flags_, env_.identity),
      election::ElectorEvents{.on_change = [this](bool leads) { on_leadership(leads); },
                              .on_new_leader = nullptr,
                              .on_lock_written =
                                  [this](const std::string& version, Instant sent) {
                                    if (loop_) loop_->lease_written(version, sent);
                                  },
                              .on_server_went_back =
                                  [this] {
                                    if (loop_) loop_->lock_went_back();
                                  }});
}

/// A loop that has just been built has not run yet.
Instant Replica::last_worked() const {
  return loop_ ? std::max(health_.published_at(), loop_started_) : env_.clock.now();
}

/// While others wait for us the gate may shut for a moment and open again: that is no loss.
void Replica::end_when_lost() {
  if (elector_->leading() || stopping_) return;
  const Instant until = elector_->respected_until();
  if (env_.clock.now() < until) {
    loss_ = env_.executor.run_at(until, [this] { end_when_lost(); });
    return;
  }
  env_.log.error("lost leadership", {{"on_lost", "exit"}});
  end(1);
}

void Replica::on_leadership(bool leads) {
  const bool lost = !leads && !stopping_;
  if (lost && flags_.leader_elect.on_lost == OnLost::Exit) end_when_lost();
  if (is_cold() && leads) start_loop();
  if (is_cold() && lost) loop_.reset();
  if (loop_) loop_->leadership_changed();
}

void Replica::stop() {
  if (std::exchange(stopping_, true)) return;
  env_.log.info("stopping");
  tell_observed();
  if (!elector_) return end(0);
  drain_end_ = env_.executor.run_at(env_.clock.now() + drain_timeout, [this] {
    env_.log.warning("not all writes were answered, the lease is left to run out",
                     {{"writes", std::to_string(server_.controller.under_way())}});
    end(0);
  });
  server_.controller.drain([this] {
    drain_end_.end();
    elector_->stop(release_timeout, [this] { end(0); });
  });
}

void Replica::end(int exit_code) {
  if (!ended_) return;
  env_.executor.post(
      callbacks_.guard([ended = std::exchange(ended_, nullptr), exit_code] { ended(exit_code); }));
}

std::optional<controller::observe::Record> Replica::observed() const {
  return loop_ ? loop_->observed() : std::nullopt;
}

/// One line of the log for each of the table, and again in an hour.
void Replica::tell_observed() {
  const std::optional<controller::observe::Record> record = observed();
  if (!record) return;
  for (const std::string& line : observe_summary(*record)) {
    env_.log.info("observed", {{"table", line}});
  }
  summary_ = env_.executor.run_at(env_.clock.now() + summary_period, [this] { tell_observed(); });
}

/// Before its first lists, and while it is a cold standby, there is nothing that it knows.
controller::why::Answer Replica::why(const controller::why::Question& question) const {
  controller::why::Answer answer;
  if (loop_) {
    answer = controller::why::explain(question, loop_->insight());
  } else {
    answer.about = question;
    answer.state = "cold_standby";
    answer.is = "it does not follow the cluster before it leads (--standby=cold)";
  }
  answer.answerer.identity = env_.identity;
  answer.answerer.leader = leader_status_.read()->leader_at(env_.clock.now());
  return answer;
}

controller::live::Change Replica::look(controller::live::Tracker& tracker, WallTime now) const {
  const controller::why::Answer next = why({});
  if (!loop_) return tracker.look(next, nullptr, now);
  const controller::Insight insight = loop_->insight();
  return tracker.look(next, &insight, now);
}

}  // namespace nlc::program

#include "controller/loop/loop.h"

#include <algorithm>
#include <utility>

#include "runtime/planted.h"

namespace nlc::controller {
namespace {

/// The sign of life that `/livez` looks at.
constexpr Duration sign_of_life_period = std::chrono::seconds(1);

}  // namespace

Loop::Loop(LoopEnv env, const LoopOptions& options)
    : env_(env),
      moments_(env.clock, env.server_clock),
      transport_(env.transport, env.clock, env.executor, options.limits),
      server_(watch_.view(), watch_,
              {.blind_after = options.policy.blind_after,
               .probe_after = options.policy.probe_after,
               .follows_leases = options.controllers.node_lifecycle,
               .probes = options.write_probe.has_value()},
              env.clock.now()),
      decisions_(watch_.view(), server_,
                 {.policy = options.policy,
                  .controllers = options.controllers,
                  .seed = env.seed,
                  .performed = !options.observe},
                 env.clock.now()),
      policy_watch_(options.policy_place, decisions_.machines().holds.in_force(),
                    [this] { run_soon(); }),
      reports_({transport_, env.clock, env.log, env.metrics, env.health, history_}, options.self,
               options.policy_place),
      answers_({moments_, env.log, watch_, policy_watch_, server_, decisions_, history_, reports_,
                passes_},
               [this] { run_soon(); }),
      checks_({transport_, env.clock, server_, decisions_}, options.write_probe, [this] {
        answers_.follow_server();
        run_soon();
      }) {
  if (options.observe) {
    observer_.emplace(observe::Observer::Env{watch_.view(), decisions_, server_, transport_,
                                             env.clock, env.log, env.metrics},
                      answers_);
  } else {
    writer_.emplace(Writer::Env{transport_, env.clock, env.log, env.metrics}, answers_);
  }
  const informer::ReflectorEnv watches{.transport = transport_,
                                       .clock = env.clock,
                                       .executor = env.executor,
                                       .log = env.log,
                                       .seed = env.seed,
                                       .metrics = &env.metrics};
  watch_.start(
      watches, options.watch,
      {.nodes = *this, .leases = decisions_.judges_nodes() ? this : nullptr, .pods = *this});
  policy_watch_.start(watches, options.watch);
  run_soon();
}

Loop::~Loop() { env_.metrics.forget_cluster(); }

// --- what was seen ------------------------------------------------------------------------------

void Loop::on_stored(Slot slot, const api::Node& node, const api::Node* before) {
  if (decisions_.evicts_by_taints()) {
    env_.metrics.queue(metrics::Queue::TaintedNodes).adds.add();
  }
  if (observer_) observer_->node_stored(slot, node, before, env_.clock.now());
  decisions_.node_stored(slot, node, before, moments_.now());
  run_soon();
}

void Loop::on_stored(Slot, const api::NodeLease& lease, const api::NodeLease* before) {
  decisions_.lease_stored(lease, before, std::nullopt, moments_.now());
}

void Loop::on_event(Slot, const api::NodeLease& lease, const api::NodeLease* before, Instant came) {
  decisions_.lease_stored(lease, before, came, moments_.now());
}

void Loop::on_stored(Slot slot, const api::Pod& pod, const api::Pod* before) {
  const bool bound = watch_.bind(slot, pod, before);
  const bool is_news = watch_.synced();
  if (observer_) observer_->pod_stored(slot, pod, before, env_.clock.now());
  decisions_.pod_stored(slot, pod, before, bound && is_news, moments_.now());
  if (is_news) run_soon();
}

void Loop::on_removed(Slot slot, const api::Node& node) {
  if (observer_) observer_->node_removed(node, env_.clock.now());
  decisions_.node_removed(slot, node, env_.clock.now());
  run_soon();
}

void Loop::on_removed(Slot, const api::NodeLease& lease) { decisions_.lease_removed(lease); }

void Loop::on_missing(Slot, const api::NodeLease& lease) {
  decisions_.lease_missing(lease, env_.clock.now());
}

void Loop::on_removed(Slot slot, const api::Pod& pod) {
  if (observer_) observer_->pod_removed(slot, pod, env_.clock.now());
  watch_.unbind(slot, pod);
  decisions_.pod_removed(slot, pod);
}

void Loop::on_synced() {
  decisions_.listed(env_.clock.now());
  passes_.want();
  memory_.stirred(MemoryReturn::much);
  run_soon();
}

void Loop::lease_written(const std::string& version, Instant sent) {
  const Instant now = env_.clock.now();
  const bool was_blind = server_.availability().blind(now);
  server_.lease_written(version, sent, now);
  answers_.follow_server();
  if (was_blind) run_soon();
}

void Loop::lock_went_back() {
  if (planted("rewind-of-lock-overlooked")) return;
  server_.went_back("a read showed the leader's lock as it was before");
  answers_.follow_server();
}

Insight Loop::insight() const {
  const Moment at = moments_.now();
  return {.view = watch_.view(),
          .decisions = decisions_,
          .server = server_,
          .holds = reports_.holds(),
          .history = history_,
          .at = at,
          .leading = env_.gate.is_open(at.now),
          .observing = observer_.has_value(),
          .synced = watch_.synced()};
}

std::optional<observe::Record> Loop::observed() const {
  return observer_ ? std::optional(observer_->record(moments_.now())) : std::nullopt;
}

// --- observe, decide, perform -------------------------------------------------------------------

/// Whatever is observed in one batch is acted on once.
void Loop::run_soon() {
  if (run_posted_) return;
  run_posted_ = true;
  env_.executor.post(callbacks_.guard([this] {
    run_posted_ = false;
    run();
  }));
}

void Loop::run() {
  const Moment at = moments_.now();  // read once: everything decided together sees the same moment
  const bool leading = env_.gate.is_open(at.now);
  if (std::exchange(leading_, leading) != leading) lead(leading, at.now);
  policy_watch_.runs(at.now);
  answers_.follow_policy();
  decisions_.follow_policy(policy_watch_.access(), at.now);
  if (watch_.synced()) {
    observe(at);
    monitor_if_due(at);
    if (leading) act(at);
    if (observer_ && observer_->follow(at.now)) run_soon();
    for (const Decisions::Leaving& leaving : decisions_.follow_node_evictions(at.now)) {
      reports_.leaving(leaving);
      run_soon();
    }
    memory_.stirred(reports_.tell(decisions_, at.now));
  }
  checks_.perform(at.now);
  policy_watch_.look_if_due();
  give_back_memory(at.now);
  watch_.publish_gauges();
  policy_watch_.publish_gauges();
  reports_.publish_health(watch_, at.now);
  set_timer(at.now);
}

void Loop::lead(bool leading, Instant now) {
  server_.lead(leading);
  answers_.follow_server();
  decisions_.lead(leading, now);
  if (observer_) observer_->lead(leading, now);
  // Whoever waited for a token decides nothing now, and must keep it from nobody.
  if (!leading) transport_.used(transport_.room(), nullptr);
  reports_.lead(leading && writer_);
  passes_.want();
}

/// What nobody tells, because it is seen in what others did.
void Loop::observe(Moment at) {
  if (!std::exchange(view_synced_, true)) server_.view_synced(decisions_.view_synced(at), at.now);
  decisions_.follow_calendar(moments_.close(at.now), at);
  server_.follow(at.now);
  answers_.follow_server();
  reports_.held(server_, decisions_, at.now);
  reports_.paused(decisions_.machines().holds, watch_.view(), at.now);
}

void Loop::monitor_if_due(Moment at) {
  if (!decisions_.judges_nodes()) return;
  if (at.now < passes_.due(decisions_.nodes().next_pass(at.now), at.now)) return;
  passes_.begun();
  const std::vector<Decision> decisions = decisions_.monitor_pass(at, leading_);
  const Duration took = env_.clock.now() - at.now;
  passes_.ended(at.now, took);
  perform(decisions);
  reports_.monitored(decisions_, watch_.view().nodes.size(), took);
}

void Loop::act(Moment at) {
  if (observer_) {
    client::Room room = observer_->room();
    return perform(decisions_.act(at, room));
  }
  client::Room room = transport_.room();
  perform(decisions_.act(at, room));
  transport_.used(room, [this] { run_soon(); });
}

void Loop::perform(const std::vector<Decision>& decisions) {
  memory_.stirred(decisions.size());
  for (const Decision& decision : decisions) {
    if (observer_) observer_->perform(decision);
    if (!writer_) continue;
    history_.decided(decision, env_.clock.now());
    writer_->perform(decision);
  }
  // After what they tell of: an event would have the place that a write was decided for.
  if (writer_) reports_.deciding(decisions);
}

void Loop::give_back_memory(Instant now) {
  if (!env_.give_back_memory || !memory_.is_due(now)) return;
  if (!watch_.synced() || !transport_.is_at_rest()) return;
  memory_.returned(now);
  env_.give_back_memory();
}

void Loop::set_timer(Instant now) {
  Instant next = now + sign_of_life_period;
  const auto no_later_than = [&](std::optional<Instant> due) {
    if (due) next = std::min(next, *due);
  };
  no_later_than(server_.next_probe(now));
  no_later_than(server_.next_question(now));
  no_later_than(server_.settles_next(now));
  no_later_than(server_.gap_settles_at(now));
  if (watch_.synced() && decisions_.judges_nodes()) {
    no_later_than(passes_.due(decisions_.nodes().next_pass(now), now));
  }
  if (watch_.synced() && leading_) {
    no_later_than(decisions_.next(now));
    no_later_than(env_.gate.end());
  }
  // Nothing is due at once: what was due has been done, and what could not be waits for its retry.
  next = std::max(next, now + std::chrono::milliseconds(1));
  timer_ = env_.executor.run_at(next, [this] { run(); });
}

}  // namespace nlc::controller

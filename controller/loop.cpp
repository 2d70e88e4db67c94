#include "controller/loop.h"

#include <algorithm>
#include <utility>

#include "client/refusal.h"
#include "client/verbs.h"

namespace nlc::controller {
namespace {

/// The sign of life that `/livez` looks at.
constexpr Duration beat_period = std::chrono::seconds(1);

/// Among so many leases one moves within a moment, if there is any life at all.
constexpr int sample = 100;
constexpr Duration question_timeout = std::chrono::seconds(5);

constexpr std::string_view perhaps_of_the_past =
    "the API server may have gone back in time before it was answered";

}  // namespace

Loop::Loop(LoopEnv env, const LoopOptions& options)
    : env_(env),
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
      policy_place_(options.policy_place),
      reports_({transport_, env.clock, env.log, env.metrics, env.health, history_}, options.self,
               options.policy_place) {
  if (options.observe) {
    observer_.emplace(observe::Observer::Env{watch_.view(), decisions_, server_, transport_,
                                             env.clock, env.log, env.metrics},
                      static_cast<ReadListener&>(*this));
  } else {
    writer_.emplace(Writer::Env{transport_, env.clock, env.log, env.metrics},
                    static_cast<WriteListener&>(*this));
  }
  if (options.write_probe) {
    write_probe_.emplace(WriteProbe::Env{transport_, env.clock}, *options.write_probe);
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
  informer::StoreListener<api::ConfigMap>& told = *this;  // a private base
  policy_watch_.emplace(watches, policy_place_, options.watch, told);
  run_soon();
}

Loop::~Loop() { env_.metrics.forget_cluster(); }

// --- what was seen ------------------------------------------------------------------------------

void Loop::on_stored(Slot slot, const api::Node& node, const api::Node* before) {
  if (decisions_.evicts_by_taints()) {
    env_.metrics.queue(metrics::Queue::TaintedNodes).adds.add();
  }
  if (observer_) observer_->node_stored(slot, node, before, env_.clock.now());
  decisions_.node_stored(slot, node, before, moment());
  run_soon();
}

void Loop::on_stored(Slot, const api::NodeLease& lease, const api::NodeLease* before) {
  decisions_.lease_stored(lease, before, std::nullopt, moment());
}

void Loop::on_event(Slot, const api::NodeLease& lease, const api::NodeLease* before, Instant came) {
  decisions_.lease_stored(lease, before, came, moment());
}

void Loop::on_stored(Slot slot, const api::Pod& pod, const api::Pod* before) {
  const bool bound = watch_.bind(slot, pod, before);
  const bool is_news = watch_.synced();
  if (observer_) observer_->pod_stored(slot, pod, before, env_.clock.now());
  decisions_.pod_stored(slot, pod, before, bound && is_news, moment());
  if (is_news) run_soon();
}

void Loop::on_stored(Slot, const api::ConfigMap& config, const api::ConfigMap*) {
  decisions_.eviction_holds().in_force().stored(config);
  run_soon();
}

void Loop::on_removed(Slot, const api::ConfigMap&) {
  decisions_.eviction_holds().in_force().removed();
  run_soon();
}

void Loop::on_removed(Slot slot, const api::Node& node) {
  if (observer_) observer_->node_removed(node, env_.clock.now());
  decisions_.node_removed(slot, node, env_.clock.now());
  run_soon();
}

void Loop::on_removed(Slot, const api::NodeLease& lease) { decisions_.lease_removed(lease); }

void Loop::on_removed(Slot slot, const api::Pod& pod) {
  if (observer_) observer_->pod_removed(slot, pod, env_.clock.now());
  watch_.unbind(slot, pod);
  decisions_.pod_removed(slot, pod);
}

void Loop::on_synced() {
  pass_wanted_ = true;
  stir_ += much;
  run_soon();
}

void Loop::lease_written(const std::string& version) {
  const Instant now = env_.clock.now();
  const bool was_blind = server_.availability().blind(now);
  server_.lease_written(version, now);
  obey(server_.take_orders());
  if (was_blind) run_soon();
}

void Loop::lock_went_back() {
  server_.lock_went_back();
  obey(server_.take_orders());
}

Insight Loop::insight() const {
  const Moment at = moment();
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
  return observer_ ? std::optional(observer_->record(moment())) : std::nullopt;
}

Moment Loop::moment() const {
  const client::ServerClock::Reading ours{env_.clock.now(), env_.clock.wall_now()};
  return {.now = ours.now,
          .wall = env_.server_clock.to_write(ours),
          .calendar_off = env_.server_clock.off(ours)};
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
  const Moment at = moment();  // read once: everything decided together sees the same moment
  const bool leading = env_.gate.is_open(at.now);
  if (std::exchange(leading_, leading) != leading) {
    server_.lead(leading);
    obey(server_.take_orders());
    decisions_.lead(leading, at.now);
    if (observer_) observer_->lead(leading, at.now);
    reports_.lead(leading && writer_);
    pass_wanted_ = true;
  }
  if (watch_.synced()) {
    observe(at);
    monitor_if_due(at);
    if (leading) act(at);
    if (observer_ && observer_->follow(at.now)) run_soon();
    for (const Decisions::Leaving& leaving : decisions_.follow_node_evictions(at.now)) {
      reports_.leaving(leaving);
      run_soon();
    }
    stir_ += reports_.tell(decisions_, at.now);
  }
  probe(at.now);
  question(at.now);
  look_at_policy(at.now);
  give_back_memory();
  reports_.publish_health(watch_, at.now);
  set_timer(at.now);
}

/// What nobody tells, because it is seen in what others did.
void Loop::observe(Moment at) {
  if (!std::exchange(view_synced_, true)) {
    server_.view_synced(decisions_.view_synced(at));
  }
  decisions_.follow_calendar(env_.server_clock.close({at.now, env_.clock.wall_now()}), at);
  server_.follow(at.now);
  obey(server_.take_orders());
  decisions_.follow_policy(policy_watch_->access(), at.now);
  reports_.held(server_, decisions_, at.now);
  reports_.paused(decisions_.eviction_holds(), watch_.view(), at.now);
}

void Loop::monitor_if_due(Moment at) {
  if (!decisions_.judges_nodes() || at.now < pass_not_before_) return;
  if (!pass_wanted_ && at.now < decisions_.nodes().next_pass(at.now)) return;
  pass_wanted_ = false;
  const std::vector<Decision> decisions = decisions_.monitor_pass(at, leading_);
  const Duration took = env_.clock.now() - at.now;
  pass_not_before_ = at.now + pass_share * took;
  perform(decisions);
  watch_.publish_gauges();
  policy_watch_->publish_gauges();
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
  stir_ += decisions.size();
  if (writer_) reports_.deciding(decisions);
  for (const Decision& decision : decisions) {
    const auto* read = std::get_if<ReadLeases>(&decision);
    if (read != nullptr && read->in_one_list) server_.leases_asked(env_.clock.now());
    if (observer_) observer_->perform(decision);
    if (!writer_) continue;
    history_.decided(decision, env_.clock.now());
    writer_->perform(decision);
  }
}

void Loop::obey(const ApiServerHealth::Orders& orders) {
  if (orders.list_anew) {
    watch_.server_may_have_gone_back();
    policy_watch_->server_may_have_gone_back();
  }
  for (const Watched what : orders.begin_anew) watch_.begin_anew(what);
  if (orders.hurry) {
    watch_.hurry();
    policy_watch_->hurry();
  }
  for (const UnwitnessedReads::Read& read : orders.of_no_use) {
    judge_by(read.asked, Error{Fault::Malformed, std::string(perhaps_of_the_past)});
  }
  for (const UnwitnessedReads::Read& read : orders.borne_out) judge_by(read.asked, read.found);
  if (orders.view_renewed) decisions_.view_renewed(env_.clock.now());
  if (orders.monitor_pass) pass_wanted_ = true;
}

/// Where nothing else proves that the server takes writes, a write of our own does, once it is
/// taken. An answered read proves nothing of the kind.
void Loop::probe(Instant now) {
  const std::optional<Instant> due = server_.next_probe();
  if (!due || now < *due) return;
  server_.probe_sent();
  write_probe_->begin([this](Result<WriteProbe::Written> written) {
    server_.probe_answered(written, env_.clock.now());
    obey(server_.take_orders());
    run_soon();
  });
}

/// Before pods go, what the operator says is read from the server itself.
void Loop::look_at_policy(Instant now) {
  if (!decisions_.eviction_holds().in_force().look_due(now)) return;
  decisions_.eviction_holds().in_force().look_begun(now);
  client::get_config_map(
      transport_, policy_place_.namespace_, policy_place_.name,
      callbacks_.guard([this](const Result<api::ConfigMap>& found) {
        if (decisions_.eviction_holds().in_force().look_answered(found, env_.clock.now())) {
          policy_watch_->begin_anew();
        }
        run_soon();
      }));
}

/// A watch of leases that says nothing is held against a read of some of them, which also tells
/// where the server stands.
void Loop::question(Instant now) {
  const std::optional<Instant> due = server_.next_question(now);
  if (!due || now < *due) return;
  server_.question_sent(now);
  client::Request request{
      .target = client::page_target(client::node_leases_path, {.limit = sample}),
      .timeout = question_timeout};
  transport_.send(request, [this, request](Result<client::Response> answer) {
    const Instant answered = env_.clock.now();
    const Result<client::Response> response = client::accepted(request, std::move(answer));
    const Result<LeasePage> page =
        response ? api::Decoder<api::NodeLease>().list(response->body) : response.error();
    if (page) decisions_.nodes().leases_shown(page->items, answered);
    server_.question_answered(page, answered);
    obey(server_.take_orders());
    run_soon();
  });
}

void Loop::give_back_memory() {
  if (stir_ < much || !watch_.synced() || !transport_.is_at_rest()) return;
  if (!env_.give_back_memory) return;
  stir_ = 0;
  env_.give_back_memory();
}

void Loop::set_timer(Instant now) {
  Instant next = now + beat_period;
  const auto no_later_than = [&](std::optional<Instant> due) {
    if (due) next = std::min(next, *due);
  };
  no_later_than(server_.next_probe());
  no_later_than(server_.next_question(now));
  no_later_than(server_.settles_at(now));
  if (watch_.synced() && decisions_.judges_nodes()) {
    const Instant pass = pass_wanted_ ? now : decisions_.nodes().next_pass(now);
    no_later_than(std::max(pass, pass_not_before_));
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

#include "controller/loop.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "client/verbs.h"
#include "controller/event_texts.h"

namespace nlc::controller {
namespace {

/// The sign of life that `/livez` looks at.
constexpr Duration beat_period = std::chrono::seconds(1);

View view_of(const informer::Store<api::Node>& nodes, const informer::Store<api::NodeLease>& leases,
             const informer::Store<api::Pod>& pods, const informer::Index& index) {
  return {.nodes = nodes, .leases = leases, .pods = pods, .pods_by_node = index};
}

/// A zone key as people write it: region/zone.
std::string shown_zone(std::string key) {
  const std::string separator{':', '\0', ':'};
  const std::size_t at = key.find(separator);
  if (at != std::string::npos) key.replace(at, separator.size(), "/");
  return key;
}

}  // namespace

Loop::Loop(LoopWorld world, const LoopOptions& options)
    : world_(world),
      policy_(options.policy),
      controllers_(options.controllers),
      transport_(world.transport, world.clock, world.executor, options.limits),
      lifecycle_(view_of(nodes_, leases_, pods_, pods_by_node_), policy_, world.metrics,
                 world.clock.now(), world.seed + 1),
      readiness_(view_of(nodes_, leases_, pods_, pods_by_node_), world.seed + 2),
      eviction_(view_of(nodes_, leases_, pods_, pods_by_node_), world.seed + 3,
                policy_.gates.comparisons),
      timeout_eviction_(view_of(nodes_, leases_, pods_, pods_by_node_), world.seed + 7),
      writer_({transport_, world.clock, world.log, world.metrics}, *this),
      node_events_({transport_, world.clock, world.log, world.metrics.events_dropped()},
                   "node-controller"),
      eviction_events_({transport_, world.clock, world.log, world.metrics.events_dropped()},
                       "taint-eviction-controller"),
      holds_({world.log, world.metrics, node_events_, options.self}),
      probe_again_(world.clock.now()),
      questioned_(world.clock.now()),
      remind_next_(world.clock.now() + reminder_period) {
  nodes_.set_listener(this);
  leases_.set_listener(this);
  pods_.set_listener(this);
  const auto reflector_world = [&](std::uint64_t salt, std::string_view resource) {
    return informer::ReflectorWorld{.transport = transport_,
                                    .clock = world_.clock,
                                    .executor = world_.executor,
                                    .log = world_.log,
                                    .seed = world_.seed + salt,
                                    .metrics = &world_.metrics,
                                    .resource = resource};
  };
  node_watch_ = std::make_unique<informer::Reflector<api::Node>>(reflector_world(4, "nodes"),
                                                                 nodes_, options.watch);
  if (judges()) {
    lease_watch_ = std::make_unique<informer::Reflector<api::NodeLease>>(
        reflector_world(5, "leases"), leases_, options.watch);
  }
  pod_watch_ = std::make_unique<informer::Reflector<api::Pod>>(reflector_world(6, "pods"), pods_,
                                                               options.watch);
  run_soon();
}

Loop::~Loop() {
  *alive_ = false;
  world_.metrics.forget_cluster();
}

// --- what was seen ------------------------------------------------------------------------------

void Loop::on_stored(Slot slot, const api::Node& node, const api::Node* before) {
  const Moment at = moment();
  if (judges()) {
    lifecycle_.node_stored(slot, node, before, at);
    readiness_.node_stored(node, before);
  }
  if (evicts_by_taints()) {
    world_.metrics.queue(metrics::Queue::TaintedNodes).adds.add();
    eviction_.node_stored(node, before, at);
  }
  // Pods are looked up by their node's name, so those that were seen before it count from now on
  // too.
  run_soon();
}

void Loop::on_stored(Slot, const api::NodeLease& lease, const api::NodeLease*) {
  Moment at = moment();
  at.now = lease_watch_->came().value_or(at.now);
  lifecycle_.lease_stored(lease, at);
}

void Loop::on_stored(Slot slot, const api::Pod& pod, const api::Pod* before) {
  const bool bound = before == nullptr || before->node_name != pod.node_name;
  if (bound) {
    if (before != nullptr) pods_by_node_.remove(before->node_name, slot);
    pods_by_node_.add(pod.node_name, slot);
  }
  if (judges()) readiness_.pod_stored(slot, pod);
  if (judges() && bound && synced()) readiness_.pod_bound(slot, pod);  // the first list is no news
  if (evicts_by_taints()) eviction_.pod_stored(slot, pod, before, moment());
  if (evicts_by_timeout()) timeout_eviction_.pod_stored(slot, pod, before);
  if (synced()) run_soon();
}

void Loop::on_removed(Slot slot, const api::Node& node) {
  if (judges()) lifecycle_.node_removed(slot, node);
  readiness_.node_removed(node);
  eviction_.node_removed(node);
  run_soon();
}

void Loop::on_removed(Slot, const api::NodeLease&) {}

void Loop::on_removed(Slot slot, const api::Pod& pod) {
  pods_by_node_.remove(pod.node_name, slot);
  readiness_.pod_removed(slot);
  eviction_.pod_removed(slot);
  timeout_eviction_.pod_removed(slot);
}

void Loop::on_synced() {
  look_wanted_ = true;
  stir_ += much;
  run_soon();
}

bool Loop::synced() const {
  return nodes_.synced() && pods_.synced() && (leases_.synced() || !judges());
}

// --- what follows -------------------------------------------------------------------------------

/// Whatever is observed in one batch is acted on once.
void Loop::run_soon() {
  if (run_posted_) return;
  run_posted_ = true;
  world_.executor.post([this, alive = alive_] {
    if (!*alive) return;
    run_posted_ = false;
    run();
  });
}

void Loop::run() {
  const Moment at = moment();  // read once: everything decided together sees the same moment
  const bool leading = world_.gate.is_open(at.now);
  if (leading && !was_leading_) {
    lifecycle_.begin_leading();
    look_wanted_ = true;
  } else if (!leading && was_leading_) {
    lifecycle_.end_leading();
    look_wanted_ = true;
  }
  was_leading_ = leading;
  if (evicts_by_taints()) eviction_.trust_wall_clock(world_.server_clock.close(), at);
  if (synced()) {
    if (judges()) {
      watch_sight(at);
      watch_streams(at.now);
      const bool due = look_wanted_ || at.now >= lifecycle_.next_look(at.now);
      if (due && at.now >= look_not_before_) look(at, leading);
    }
    if (leading) act(at);
    follow_eviction_turns();
    tell(leading);
    publish_waiting();
  }
  if (node_watch_ == nullptr || pod_watch_ == nullptr) return;  // still under construction
  probe(at.now);
  remind(at.now);
  give_back_memory();
  publish_health(at.now);
  set_timer(at.now, leading);
}

void Loop::look(Moment at, bool leading) {
  look_wanted_ = false;
  const std::vector<Decision> decisions =
      lifecycle_.look(at, leading && !view_is_old() ? Acting::Yes : Acting::No);
  const Instant end = world_.clock.now();
  look_not_before_ = end + (look_share - 1) * (end - at.now);
  const auto took = std::chrono::duration<double>(end - at.now).count();
  world_.metrics.all_nodes_health_duration().observe(took);
  if (nodes_.size() > 0) {
    world_.metrics.node_health_duration().observe(took / static_cast<double>(nodes_.size()));
  }
  perform(decisions);
  publish_informers();
  warn_of_silent_stop();
}

void Loop::act(Moment at) {
  if (view_is_old()) return;
  if (judges()) {
    perform(lifecycle_.repair(at, evictions_at(at.now)));
    if (may_mark_pods(at.now)) perform(readiness_.due(at.now));
  }
  if (rewind_) return;
  std::vector<Decision> evictions = eviction_.due(at.now);
  if (!lifecycle_.sight().blind(at.now)) {
    std::ranges::move(timeout_eviction_.due(at.now), std::back_inserter(evictions));
  }
  for (const Decision& decision : evictions) announce(decision);
  perform(evictions);
}

/// A delete has no version that would be refused if its node had come back unseen: while blind no
/// node's turn comes.
NodeLifecycle::Evictions Loop::evictions_at(Instant now) const {
  const bool unsure = evicts_by_timeout() && lifecycle_.sight().blind(now);
  return rewind_ || unsure ? NodeLifecycle::Evictions::Held : NodeLifecycle::Evictions::Allowed;
}

bool Loop::may_mark_pods(Instant now) const {
  if (rewind_ || lifecycle_.sight().blind(now)) return false;
  return !(policy_.hold_pods_ready_in_full_disruption && lifecycle_.fully_disrupted());
}

/// Once for each eviction, however often it has to be tried.
void Loop::announce(const Decision& decision) {
  if (const auto* evict = std::get_if<EvictPod>(&decision); evict != nullptr && !evict->again) {
    eviction_events_.record(short_subject_of(evict->pod), marking_for_deletion(evict->pod));
  }
  if (const auto* lost = std::get_if<EvictLostPod>(&decision);
      lost != nullptr && !lost->again && !lost->terminating) {
    node_events_.record(subject_of(lost->pod), marking_for_deletion(lost->pod, lost->node));
  }
}

/// A standby follows as well: what it remembers must not begin to act when it leads.
void Loop::follow_eviction_turns() {
  for (const EvictionTurn& turn : lifecycle_.take_eviction_turns()) {
    if (turn.kind == EvictionTurn::Kind::Ended) {
      timeout_eviction_.end(turn.node.name);
      continue;
    }
    world_.log.info("node's pods are evicted", {{"node", turn.node.name}});
    if (timeout_eviction_.begin(turn.node.name) > 0) {
      node_events_.record(subject_of(turn.node), deleting_all_pods(turn.node));
    }
    run_soon();
  }
}

void Loop::perform(const std::vector<Decision>& decisions) {
  stir_ += decisions.size();
  for (const Decision& decision : decisions) writer_.perform(decision);
}

// --- answers ------------------------------------------------------------------------------------

void Loop::on_node_write(const NodeRef& node, WriteReport<api::Node> report) {
  take_node(report.object);
  if (report.error) {
    lifecycle_.refused(node, *report.error, world_.clock.now());
    look_wanted_ = true;
  } else {
    lifecycle_.written(node, world_.clock.now());
  }
  run_soon();
}

void Loop::on_pod_write(const PodRef& pod, WriteReport<api::Pod> report) {
  take_pod(report.object);
  if (report.error) {
    readiness_.refused(pod, *report.error, world_.clock.now());
  } else {
    lifecycle_.prove(world_.clock.now());
    readiness_.written(pod);
    node_events_.record(subject_of(pod), pod_not_ready());
  }
  run_soon();
}

void Loop::tell_refused(const PodRef& evicted, const std::string& node, const Error& error) {
  if (error.fault == Fault::NotFound) return;
  world_.log.warning("eviction refused",
                     {{"pod", evicted.key()}, {"node", node}, {"error", error.path}});
}

void Loop::on_eviction(const EvictPod& eviction, std::optional<Error> error) {
  if (error) {
    tell_refused(eviction.pod, eviction.node, *error);
    eviction_.refused(eviction.pod, *error, world_.clock.now());
  } else {
    lifecycle_.prove(world_.clock.now());
    eviction_.evicted(eviction.pod);
  }
  run_soon();
}

void Loop::on_lost_pod(const EvictLostPod& eviction, WriteReport<api::Pod> report) {
  take_pod(report.object);
  if (report.error) {
    tell_refused(eviction.pod, eviction.node, *report.error);
    timeout_eviction_.refused(eviction.pod, *report.error, world_.clock.now());
  } else {
    lifecycle_.prove(world_.clock.now());
    timeout_eviction_.evicted(eviction.pod);
  }
  run_soon();
}

void Loop::on_node_read(const NodeRef& node, Result<api::Node> live) {
  if (live) {
    take_node(*live);
    lifecycle_.node_read(node, world_.clock.now());
  } else {
    lifecycle_.refused(node, live.error(), world_.clock.now());
    look_wanted_ = true;
  }
  run_soon();
}

void Loop::on_leases(const ReadLeases& asked, Result<std::vector<api::NodeLease>> found) {
  if (found) {
    world_.log.debug("leases read", {{"nodes", std::to_string(asked.nodes.size())},
                                     {"found", std::to_string(found->size())}});
    unread_.clear();
    compare_with_stream(*found);
    lifecycle_.leases_read(asked, *found, moment());
  } else {
    unread_ = found.error().path;
    lifecycle_.lease_read_failed(asked, found.error(), world_.clock.now());
  }
  look_wanted_ = true;
  run_soon();
}

// --- what is told -------------------------------------------------------------------------------

/// Events are the leader's to write; a standby forgets what it would have said.
void Loop::tell(bool leading) {
  for (const NodeNews& news : lifecycle_.take_news()) {
    if (leading) tell_of(news);
  }
  for (const ZoneNews& news : lifecycle_.take_zone_news()) {
    world_.log.info("zone changed state", {{"zone", shown_zone(news.key)},
                                           {"before", std::string(name_of(news.before))},
                                           {"after", std::string(name_of(news.after))},
                                           {"nodes", std::to_string(news.count.size())},
                                           {"not_ready", std::to_string(news.count.not_ready)}});
  }
  for (const PodRef& pod : eviction_.take_cancelled()) {
    if (leading) eviction_events_.record(short_subject_of(pod), cancelling_deletion(pod));
  }
}

void Loop::tell_of(const NodeNews& news) {
  ++stir_;
  switch (news.kind) {
    case NodeNews::Kind::Registered:
      return node_events_.record(subject_of(news.node), registered_node(news.node));
    case NodeNews::Kind::Removed:
      return node_events_.record(subject_of(news.node), removing_node(news.node));
    case NodeNews::Kind::BecameSilent:
      return node_events_.record(subject_of(news.node), node_not_ready(news.node));
    case NodeNews::Kind::CameBack:
      return world_.log.info("node came back", {{"node", news.node.name}});
  }
}

void Loop::give_back_memory() {
  if (stir_ < much || !synced() || !transport_.is_at_rest() || !world_.give_back_memory) return;
  stir_ = 0;
  world_.give_back_memory();
}

void Loop::set_timer(Instant now, bool leading) {
  Instant next = now + beat_period;
  const auto no_later_than = [&](std::optional<Instant> due) {
    if (due) next = std::min(next, *due);
  };
  if (!probing_ && judges()) no_later_than(next_probe());
  no_later_than(rewind_end());
  if (synced() && judges()) {
    const Instant look = look_wanted_ ? now : lifecycle_.next_look(now);
    no_later_than(std::max(look, look_not_before_));
  }
  if (synced() && leading) {
    if (judges()) no_later_than(lifecycle_.next_repair(evictions_at(now)));
    no_later_than(readiness_.next_due(now));
    if (!rewind_) no_later_than(eviction_.next_due());
    no_later_than(timeout_eviction_.next_due(now));
    no_later_than(world_.gate.end());
  }
  // Nothing is due at once: what was due has been done, and what could not be waits for its retry.
  next = std::max(next, now + std::chrono::milliseconds(1));
  timer_ = world_.executor.run_at(next, [this] { run(); });
}

}  // namespace nlc::controller

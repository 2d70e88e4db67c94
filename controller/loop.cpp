#include "controller/loop.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "client/verbs.h"
#include "controller/conditions.h"
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
      reads_(view_of(nodes_, leases_, pods_, pods_by_node_), world.seed + 8),
      writer_({transport_, world.clock, world.log, world.metrics}, *this),
      troubles_(world.log),
      node_events_({transport_, world.clock, world.log, world.metrics.events_dropped()},
                   "node-controller"),
      eviction_events_({transport_, world.clock, world.log, world.metrics.events_dropped()},
                       "taint-eviction-controller"),
      holds_({world.log, world.metrics, node_events_, options.self}),
      probe_again_(world.clock.now()),
      questioned_(world.clock.now()) {
  if (options.write_probe) {
    write_probe_.emplace(WriteProbe::World{transport_, world.clock}, *options.write_probe);
  }
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
  if (!is_ready(node)) calendars_.forget(slot);
  if (judges()) {
    lifecycle_.node_stored(slot, node, before, at);
    readiness_.node_stored(node, before, at.now);
  }
  if (evicts_by_taints()) {
    world_.metrics.queue(metrics::Queue::TaintedNodes).adds.add();
    eviction_.node_stored(node, before, at);
  }
  // Pods are looked up by their node's name, so those that were seen before it count from now on
  // too.
  run_soon();
}

void Loop::on_stored(Slot, const api::NodeLease& lease, const api::NodeLease* before) {
  lifecycle_.lease_stored(lease, before, moment());
}

void Loop::on_event(Slot, const api::NodeLease& lease, const api::NodeLease* before, Instant came) {
  Moment at = moment();
  const bool renewed = before != nullptr && lease.renewed && lease.renewed != before->renewed;
  if (past_seen_ && renewed) {
    const std::optional<Slot> node = nodes_.slot_of(lease.name);
    if (node) calendars_.heard(*node, lease.renewed, Duration{0}, at);
  }
  at.now = came;
  lifecycle_.lease_stored(lease, before, at);
}

void Loop::on_stored(Slot slot, const api::Pod& pod, const api::Pod* before) {
  const bool bound = before == nullptr || before->node_name != pod.node_name;
  if (bound) {
    if (before != nullptr) pods_by_node_.remove(before->node_name, slot);
    pods_by_node_.add(pod.node_name, slot);
  }
  const Moment at = moment();
  if (judges()) readiness_.pod_stored(slot, pod, before, at.now);
  if (judges() && bound && synced()) readiness_.pod_bound(slot, pod, at.now);  // else no news
  if (evicts_by_taints()) eviction_.pod_stored(slot, pod, before, at);
  if (evicts_by_timeout()) timeout_eviction_.pod_stored(slot, pod, before, at.now);
  if (synced()) run_soon();
}

void Loop::on_removed(Slot slot, const api::Node& node) {
  calendars_.forget(slot);
  if (judges()) lifecycle_.node_removed(slot, node, world_.clock.now());
  readiness_.node_removed(node);
  eviction_.node_removed(node);
  run_soon();
}

void Loop::on_removed(Slot, const api::NodeLease& lease) { lifecycle_.lease_removed(lease); }

void Loop::on_removed(Slot slot, const api::Pod& pod) {
  pods_by_node_.remove(pod.node_name, slot);
  readiness_.pod_removed(slot);
  eviction_.pod_removed(slot, pod);
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

Moment Loop::moment() const {
  const Instant now = world_.clock.now();
  const WallTime wall = world_.clock.wall_now();
  return {.now = now, .wall = wall, .calendar_off = world_.server_clock.off({now, wall})};
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
  if (synced()) {
    doubt_the_past(at);
    if (evicts_by_taints()) {
      const bool close = world_.server_clock.close({at.now, at.wall});
      eviction_.trust_wall_clock(close && calendars_.agree(), at);
    }
    watch_sight(at);
    watch_streams(at.now);
    if (judges()) {
      const bool due = look_wanted_ || at.now >= lifecycle_.next_look(at.now);
      if (due && at.now >= look_not_before_) look(at, leading);
    }
    if (leading) act(at);
    follow_eviction_turns();
    tell(leading);
    tell_troubles(at.now);
    publish_waiting();
  }
  if (node_watch_ == nullptr || pod_watch_ == nullptr) return;  // still under construction
  probe(at.now);
  question(at.now);
  give_back_memory();
  publish_health(at.now);
  set_timer(at.now, leading);
}

void Loop::look(Moment at, bool leading) {
  look_wanted_ = false;
  const std::vector<Decision> decisions =
      lifecycle_.look(at, leading && !versions_.doubtful(at.now) ? Acting::Yes : Acting::No);
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

/// Nothing is decided on before there is room for it, so that it is as true when it is sent.
void Loop::act(Moment at) {
  if (versions_.view_is_old()) return;
  client::Room room = transport_.room();
  if (judges()) perform(lifecycle_.repair(at, room, evictions_at(at.now)));
  marks_first_ = !marks_first_;
  if (!marks_first_) evict(at, room);
  if (judges() && may_mark_pods(at.now)) perform(readiness_.due(at.now, room));
  if (marks_first_) evict(at, room);
  transport_.used(room, [this] { run_soon(); });
}

/// A delete has no version that would be refused if its node had come back unseen.
void Loop::evict(Moment at, client::Room& room) {
  MayEvict may_evict;
  if (!holds_evictions(at.now)) {
    may_evict = [&](const std::string& node, Instant since) {
      return (!judges() || lifecycle_.is_settled(node)) && reads_.confirms(node, since, at.now);
    };
  }
  std::vector<Decision> evictions = eviction_.due(at.now, room, may_evict);
  std::ranges::move(timeout_eviction_.due(at.now, room, may_evict), std::back_inserter(evictions));
  for (const Decision& decision : evictions) announce(decision);
  perform(evictions);
  perform(reads_.due(at.now, room));
}

bool Loop::holds_evictions(Instant now) const {
  const Sight& sight = lifecycle_.sight();
  // In a total disruption taints of ours are on their way out, however long that takes.
  return versions_.doubtful(now) || sight.blind(now) || !sight.settled(now) ||
         lifecycle_.fully_disrupted();
}

/// While blind no node is evicted by its timeout, nor while a server tells of the past.
NodeLifecycle::Evictions Loop::evictions_at(Instant now) const {
  const bool unsure = evicts_by_timeout() && lifecycle_.sight().blind(now);
  return versions_.doubtful(now) || unsure ? NodeLifecycle::Evictions::Held
                                           : NodeLifecycle::Evictions::Allowed;
}

bool Loop::may_mark_pods(Instant now) const {
  if (versions_.doubtful(now) || lifecycle_.sight().blind(now)) return false;
  return !(policy_.hold_pods_ready_in_full_disruption && lifecycle_.fully_disrupted());
}

/// Once for each eviction, however often it has to be tried.
void Loop::announce(const Decision& decision) {
  if (const auto* evict = std::get_if<EvictPod>(&decision); evict != nullptr && evict->first) {
    eviction_events_.record(short_subject_of(evict->pod), marking_for_deletion(evict->pod));
  }
  if (const auto* lost = std::get_if<EvictLostPod>(&decision);
      lost != nullptr && lost->first && !lost->terminating) {
    node_events_.record(subject_of(lost->pod), marking_for_deletion(lost->pod, lost->node));
  }
}

/// A standby follows as well: what it remembers must not begin to act when it leads.
void Loop::follow_eviction_turns() {
  for (const EvictionTurn& turn : lifecycle_.take_eviction_turns()) {
    if (turn.kind == EvictionTurn::Kind::Ended) {
      timeout_eviction_.end(turn.node.name, world_.clock.now());
      continue;
    }
    world_.log.info("node's pods are evicted", {{"node", turn.node.name}});
    if (timeout_eviction_.begin(turn.node.name, world_.clock.now()) > 0) {
      node_events_.record(subject_of(turn.node), deleting_all_pods(turn.node));
    }
    run_soon();
  }
}

void Loop::perform(const std::vector<Decision>& decisions) {
  stir_ += decisions.size();
  for (const Decision& decision : decisions) {
    if (const auto* read = std::get_if<ReadNode>(&decision)) {
      reads_.begun(read->node.name, world_.clock.now());
    }
    if (const auto* read = std::get_if<ReadLeases>(&decision);
        read != nullptr && read->in_one_list) {
      leases_expected_ = versions_.expected_of_lists(world_.clock.now());
    }
    writer_.perform(decision);
  }
}

// --- answers ------------------------------------------------------------------------------------

void Loop::on_node_write(const NodeRef& node, NodePart part, WriteReport<api::Node> report) {
  const Instant now = world_.clock.now();
  take_node(report.object, report.error ? Answered::Read : Answered::Write);
  if (report.error) {
    if (lifecycle_.refused(node, part, *report.error, now)) {
      troubles_.refused(metrics::Queue::Nodes, {"node", node.name}, *report.error, now);
    }
    look_wanted_ = true;
  } else {
    lifecycle_.written(node, part, now);
  }
  run_soon();
}

void Loop::on_pod_write(const PodRef& pod, WriteReport<api::Pod> report) {
  const Instant now = world_.clock.now();
  take_pod(report.object);
  if (report.error) {
    if (readiness_.refused(pod, *report.error, now)) {
      tell_refused(metrics::Queue::PodMarks, pod, *report.error);
    }
  } else {
    lifecycle_.prove(now);
    readiness_.written(pod, now);
    node_events_.record(subject_of(pod), pod_not_ready());
  }
  run_soon();
}

/// A pod that is gone wants nothing any more.
void Loop::tell_refused(metrics::Queue queue, const PodRef& pod, const Error& error) {
  if (error.fault == Fault::NotFound) return;
  troubles_.refused(queue, {"pod", pod.key()}, error, world_.clock.now());
}

/// Whether a condition says why a pod goes matters less than that it goes.
void Loop::on_marked(const EvictPod& eviction, WriteReport<api::Pod> report) {
  const Instant now = world_.clock.now();
  take_pod(report.object);
  if (report.error) {
    tell_refused(metrics::Queue::PodEvictions, eviction.pod, *report.error);
    eviction_.not_marked(eviction.pod, *report.error, now);
  } else {
    lifecycle_.prove(now);
    eviction_.marked(eviction.pod, now);
  }
  run_soon();
}

void Loop::on_eviction(const EvictPod& eviction, std::optional<Error> error) {
  const Instant now = world_.clock.now();
  if (error) {
    tell_refused(metrics::Queue::PodEvictions, eviction.pod, *error);
    eviction_.refused(eviction.pod, *error, now);
  } else {
    lifecycle_.prove(now);
    eviction_.evicted(eviction.pod, now);
  }
  run_soon();
}

void Loop::on_marked_lost(const EvictLostPod& eviction, WriteReport<api::Pod> report) {
  const Instant now = world_.clock.now();
  take_pod(report.object);
  if (report.error) {
    tell_refused(metrics::Queue::PodEvictions, eviction.pod, *report.error);
    timeout_eviction_.not_marked(eviction.pod, *report.error, now);
  } else {
    lifecycle_.prove(now);
    timeout_eviction_.marked(eviction.pod, now);
  }
  run_soon();
}

void Loop::on_lost_pod(const EvictLostPod& eviction, std::optional<Error> error) {
  const Instant now = world_.clock.now();
  if (error) {
    tell_refused(metrics::Queue::PodEvictions, eviction.pod, *error);
    timeout_eviction_.refused(eviction.pod, *error, now);
  } else {
    lifecycle_.prove(now);
    timeout_eviction_.evicted(eviction.pod, now);
  }
  run_soon();
}

void Loop::on_node_read(const NodeRef& node, Result<api::Node> live) {
  const Instant now = world_.clock.now();
  const bool gone = !live && live.error().fault == Fault::NotFound;
  if (live) {
    take_node(*live, Answered::Read);
    lifecycle_.node_read(node, now);
  } else if (lifecycle_.node_not_read(node, live.error(), now)) {
    troubles_.refused(metrics::Queue::Nodes, {"node", node.name}, live.error(), now);
  }
  if (live || gone) {
    reads_.answered(node.name, live ? live->uid : std::string_view(), now);
  } else {
    reads_.failed(node.name, live.error(), now);
  }
  run_soon();
}

void Loop::on_leases(const ReadLeases& asked, Result<FoundLeases> found) {
  found = unless_of_another_time(std::move(found));
  if (found) {
    world_.log.debug("leases read", {{"nodes", std::to_string(asked.nodes.size())},
                                     {"found", std::to_string(found->leases.size())}});
    compare_with_stream(found->leases);
    if (!lifecycle_.leases_read(asked, found->leases, moment())) {
      went_back("a lease was read in an older version than had been seen");
    }
  } else {
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
  tell_cancelled(leading);
}

void Loop::tell_cancelled(bool leading) {
  for (const PodRef& pod : eviction_.take_cancelled()) {
    if (leading) eviction_events_.record(short_subject_of(pod), cancelling_deletion(pod));
  }
  for (const PodRef& pod : eviction_.take_overtaken()) {
    if (!leading) continue;
    world_.log.warning("eviction cancelled too late, its delete was on its way",
                       {{"pod", pod.key()}});
    eviction_events_.record(short_subject_of(pod), deletion_on_its_way(pod));
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
    case NodeNews::Kind::Undone:
      world_.metrics.writes(metrics::Write::NodeTaints, "undone").add();
      return troubles_.undone(metrics::Queue::Nodes, {"node", news.node.name}, news.detail,
                              world_.clock.now());
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
  no_later_than(next_probe());
  if (judges() && !asking_) no_later_than(next_question(now));
  no_later_than(versions_.settles_at());
  if (const auto settled = lifecycle_.sight().settles_at(); settled > now) no_later_than(settled);
  if (synced() && judges()) {
    const Instant look = look_wanted_ ? now : lifecycle_.next_look(now);
    no_later_than(std::max(look, look_not_before_));
  }
  if (synced() && leading) {
    if (judges()) no_later_than(lifecycle_.next_repair(now, evictions_at(now)));
    no_later_than(readiness_.next_due(now));
    if (!versions_.doubtful(now)) no_later_than(eviction_.next_due(now));
    no_later_than(timeout_eviction_.next_due(now));
    no_later_than(reads_.next_due(now));
    no_later_than(world_.gate.end());
  }
  // Nothing is due at once: what was due has been done, and what could not be waits for its retry.
  next = std::max(next, now + std::chrono::milliseconds(1));
  timer_ = world_.executor.run_at(next, [this] { run(); });
}

}  // namespace nlc::controller

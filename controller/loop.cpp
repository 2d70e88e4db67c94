#include "controller/loop.h"

#include <algorithm>
#include <utility>

#include "client/verbs.h"
#include "controller/conditions.h"
#include "runtime/go_duration.h"

namespace nlc::controller {
namespace {

/// A probe that is not answered within so long tells as little as none.
constexpr Duration probe_timeout = std::chrono::seconds(5);
constexpr Duration probe_pause = std::chrono::seconds(1);

/// How often the log repeats that the cluster is still not to be seen.
constexpr Duration reminder_period = std::chrono::minutes(1);

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

template <typename T>
HealthCheck check_of(std::string name, const informer::Reflector<T>& watch) {
  const informer::ReflectorState& state = watch.state();
  std::string detail = state.trouble;
  if (detail.empty() && !state.synced) detail = "the first list has not been read yet";
  return {.name = std::move(name), .ok = state.synced && state.trouble.empty(), .detail = detail};
}

}  // namespace

Loop::Loop(LoopWorld world, const LoopOptions& options)
    : world_(world),
      policy_(options.policy),
      transport_(world.transport, world.clock, world.executor, options.limits),
      lifecycle_(view_of(nodes_, leases_, pods_, pods_by_node_), policy_, world.metrics,
                 world.clock.now(), world.seed + 1),
      readiness_(view_of(nodes_, leases_, pods_, pods_by_node_), world.seed + 2),
      eviction_(view_of(nodes_, leases_, pods_, pods_by_node_), world.seed + 3),
      writer_({transport_, world.clock, world.log, world.metrics}, *this),
      node_events_({transport_, world.clock, world.log, world.metrics.events_dropped()},
                   "node-controller"),
      eviction_events_({transport_, world.clock, world.log, world.metrics.events_dropped()},
                       "taint-eviction-controller"),
      probe_again_(world.clock.now()),
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
  lease_watch_ = std::make_unique<informer::Reflector<api::NodeLease>>(reflector_world(5, "leases"),
                                                                       leases_, options.watch);
  pod_watch_ = std::make_unique<informer::Reflector<api::Pod>>(reflector_world(6, "pods"), pods_,
                                                               options.watch);
  run_soon();
}

Loop::~Loop() { *alive_ = false; }

// --- what was seen ------------------------------------------------------------------------------

void Loop::on_stored(Slot slot, const api::Node& node, const api::Node* before) {
  const Moment at = moment();
  eviction_.trust_wall_clock(world_.server_clock.close());
  lifecycle_.node_stored(slot, node, before, at);
  readiness_.node_stored(node, before);
  eviction_.node_stored(node, at);
  // Pods are looked up by their node's name, so those that were seen before it count from now on
  // too.
  run_soon();
}

void Loop::on_stored(Slot, const api::NodeLease& lease, const api::NodeLease*) {
  lifecycle_.lease_stored(lease, moment());
}

void Loop::on_stored(Slot slot, const api::Pod& pod, const api::Pod* before) {
  if (before == nullptr || before->node_name != pod.node_name) {
    if (before != nullptr) pods_by_node_.remove(before->node_name, slot);
    pods_by_node_.add(pod.node_name, slot);
  }
  readiness_.pod_stored(slot, pod);
  eviction_.pod_stored(slot, pod, before, moment());
  if (synced()) run_soon();
}

void Loop::on_removed(Slot slot, const api::Node& node) {
  lifecycle_.node_removed(slot, node);
  eviction_.node_removed(node);
  run_soon();
}

void Loop::on_removed(Slot, const api::NodeLease&) {}

void Loop::on_removed(Slot slot, const api::Pod& pod) {
  pods_by_node_.remove(pod.node_name, slot);
  readiness_.pod_removed(slot);
  eviction_.pod_removed(slot);
}

void Loop::on_synced() {
  look_wanted_ = true;
  run_soon();
}

bool Loop::synced() const { return nodes_.synced() && leases_.synced() && pods_.synced(); }

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
  }
  was_leading_ = leading;
  if (synced()) {
    watch_sight(at);
    if (look_wanted_ || at.now >= lifecycle_.next_look(at.now)) look(at, leading);
    if (leading) act(at);
    tell(leading);
  }
  if (node_watch_ == nullptr || pod_watch_ == nullptr) return;  // still under construction
  probe(at.now);
  remind(at.now);
  publish_health(at.now, leading);
  set_timer(at.now, leading);
}

void Loop::look(Moment at, bool leading) {
  look_wanted_ = false;
  const std::vector<Decision> decisions = lifecycle_.look(at, leading ? Acting::Yes : Acting::No);
  const auto took = std::chrono::duration<double>(world_.clock.now() - at.now).count();
  world_.metrics.all_nodes_health_duration().observe(took);
  if (nodes_.size() > 0) {
    world_.metrics.node_health_duration().observe(took / static_cast<double>(nodes_.size()));
  }
  perform(decisions);
  publish_sizes();
}

void Loop::act(Moment at) {
  perform(lifecycle_.repair(at));
  if (!lifecycle_.sight().blind(at.now)) perform(readiness_.due(at.now));
  const std::vector<Decision> evictions = eviction_.due(at.now);
  for (const Decision& decision : evictions) {
    const PodRef& pod = std::get<EvictPod>(decision).pod;
    eviction_events_.record(
        {.kind = "Pod", .namespace_ = pod.namespace_, .name = pod.name},
        {.reason = "TaintManagerEviction", .message = "Marking for deletion Pod " + pod.key()});
  }
  perform(evictions);
}

void Loop::perform(const std::vector<Decision>& decisions) {
  for (const Decision& decision : decisions) writer_.perform(decision);
}

// --- answers ------------------------------------------------------------------------------------

void Loop::on_node_write(const NodeRef& node, WriteReport<api::Node> report) {
  if (report.object) nodes_.refresh(std::move(*report.object));
  if (report.error) {
    lifecycle_.refused(node, *report.error, world_.clock.now());
    look_wanted_ = true;
  } else {
    lifecycle_.written(node, world_.clock.now());
  }
  run_soon();
}

void Loop::on_pod_write(const PodRef& pod, WriteReport<api::Pod> report) {
  if (report.object) pods_.refresh(std::move(*report.object));
  if (report.error) {
    readiness_.refused(pod, *report.error, world_.clock.now());
  } else {
    lifecycle_.prove(world_.clock.now());
    readiness_.written(pod);
    node_events_.record(
        {.kind = "Pod", .namespace_ = pod.namespace_, .name = pod.name, .uid = pod.uid},
        {.type = "Warning", .reason = "NodeNotReady", .message = "Node is not ready"});
  }
  run_soon();
}

void Loop::on_eviction(const EvictPod& eviction, std::optional<Error> error) {
  if (error) {
    if (error->fault != Fault::NotFound) {
      world_.log.warning("eviction refused", {{"pod", eviction.pod.key()}, {"error", error->path}});
    }
    eviction_.refused(eviction.pod, *error, world_.clock.now());
  } else {
    lifecycle_.prove(world_.clock.now());
    eviction_.evicted(eviction.pod);
  }
  run_soon();
}

void Loop::on_leases(const ReadLeases& asked, Result<std::vector<api::NodeLease>> found) {
  if (found) {
    world_.log.debug("leases read", {{"nodes", std::to_string(asked.nodes.size())},
                                     {"found", std::to_string(found->size())}});
    lifecycle_.leases_read(asked, *found, moment());
  } else {
    world_.log.warning(
        "judgement held, leases could not be read",
        {{"nodes", std::to_string(asked.nodes.size())}, {"error", found.error().path}});
    lifecycle_.lease_read_failed(world_.clock.now());
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
    if (!leading) continue;
    eviction_events_.record(
        {.kind = "Pod", .namespace_ = pod.namespace_, .name = pod.name},
        {.reason = "TaintManagerEviction", .message = "Cancelling deletion of Pod " + pod.key()});
  }
}

void Loop::tell_of(const NodeNews& news) {
  const std::string& name = news.node.name;
  const client::EventSubject subject{.kind = "Node", .name = name, .uid = news.node.uid};
  switch (news.kind) {
    case NodeNews::Kind::Registered:
      return node_events_.record(subject, {.reason = "RegisteredNode",
                                           .message = "Node " + name + " event: Registered Node " +
                                                      name + " in Controller"});
    case NodeNews::Kind::Removed:
      return node_events_.record(subject, {.reason = "RemovingNode",
                                           .message = "Node " + name + " event: Removing Node " +
                                                      name + " from Controller"});
    case NodeNews::Kind::BecameSilent:
      return node_events_.record(
          subject,
          {.reason = "NodeNotReady", .message = "Node " + name + " status is now: NodeNotReady"});
    case NodeNews::Kind::CameBack:
      return world_.log.info("node came back", {{"node", name}});
  }
}

/// Says once when judgement is held because nothing proves that the server takes writes, and once
/// when it goes on.
void Loop::watch_sight(Moment at) {
  const Sight& sight = lifecycle_.sight();
  const bool blind = sight.blind(at.now);
  const Duration told = std::exchange(blind_told_, sight.blind_time(at.now));
  const Duration grown = std::max(blind_told_ - told, Duration{0});
  world_.metrics.blind_seconds().add(std::chrono::duration<double>(grown).count());
  if (blind == was_blind_) return;
  was_blind_ = blind;
  world_.metrics.judgement_held(metrics::Hold::ServerPaused).set(blind ? 1 : 0);
  if (blind) {
    world_.log.warning("judgement held, nothing proves that the server takes writes",
                       {{"since", go_duration(at.now - sight.last_proof())}});
  } else {
    world_.log.info("judgement resumed", {{"blind_time", go_duration(sight.blind_time(at.now))}});
  }
}

/// Where nothing else proves that the server takes writes, a quorum read that is answered does.
void Loop::probe(Instant now) {
  const Instant due = lifecycle_.sight().last_proof() + policy_.probe_after;
  if (probing_ || now < due || now < probe_again_) return;
  probing_ = true;
  client::Request request{.target = client::page_target(client::node_leases_path, {.limit = 1}),
                          .timeout = probe_timeout};
  transport_.send(request, [this, request](Result<client::Response> answer) {
    probing_ = false;
    const Instant answered = world_.clock.now();
    if (client::accepted(request, std::move(answer))) {
      lifecycle_.prove(answered);
      node_watch_->hurry();
      lease_watch_->hurry();
      pod_watch_->hurry();
    } else {
      probe_again_ = answered + probe_pause;
    }
    run_soon();
  });
}

void Loop::set_timer(Instant now, bool leading) {
  const Sight& sight = lifecycle_.sight();
  Instant next = now + beat_period;
  if (!probing_)
    next = std::min(next, std::max(probe_again_, sight.last_proof() + policy_.probe_after));
  const auto no_later_than = [&](std::optional<Instant> due) {
    if (due) next = std::min(next, *due);
  };
  if (synced()) no_later_than(lifecycle_.next_look(now));
  if (synced() && leading) {
    no_later_than(lifecycle_.next_repair(now));
    no_later_than(readiness_.next_due(now));
    no_later_than(eviction_.next_due());
    no_later_than(world_.gate.end());
  }
  // Nothing is due at once: what was due has been done, and what could not be waits for its retry.
  next = std::max(next, now + std::chrono::milliseconds(1));
  timer_ = world_.executor.run_at(next, [this] { run(); });
}

void Loop::publish_health(Instant now, bool leading) {
  std::vector<HealthCheck> checks;
  checks.push_back({.name = "ping", .ok = true});
  checks.push_back(check_of("informer-nodes", *node_watch_));
  checks.push_back(check_of("informer-leases", *lease_watch_));
  checks.push_back(check_of("informer-pods", *pod_watch_));
  const bool blind = lifecycle_.sight().blind(now);
  checks.push_back({.name = "judgement",
                    .ok = !blind,
                    .detail = blind ? "held: nothing proved for " +
                                          go_duration(now - lifecycle_.sight().last_proof()) +
                                          " that the server takes writes"
                                    : ""});
  checks.push_back({.name = "leading", .ok = true, .detail = leading ? "yes" : "no, standing by"});
  world_.health.publish(std::move(checks), now);
}

/// Trouble is told when it begins; if it lasts, once a minute.
void Loop::remind(Instant now) {
  const auto troubled = [](const auto& watch) { return !watch.state().trouble.empty(); };
  const bool well =
      synced() && !troubled(*node_watch_) && !troubled(*lease_watch_) && !troubled(*pod_watch_);
  if (well) remind_next_ = now + reminder_period;
  if (now < remind_next_) return;
  remind_next_ = now + reminder_period;
  std::string trouble = node_watch_->state().trouble;
  if (trouble.empty()) trouble = lease_watch_->state().trouble;
  if (trouble.empty()) trouble = pod_watch_->state().trouble;
  world_.log.warning("still waiting for the API server", {{"error", trouble}});
}

void Loop::publish_sizes() {
  world_.metrics.resource("nodes").objects.set(static_cast<double>(nodes_.size()));
  world_.metrics.resource("leases").objects.set(static_cast<double>(leases_.size()));
  world_.metrics.resource("pods").objects.set(static_cast<double>(pods_.size()));
}

}  // namespace nlc::controller

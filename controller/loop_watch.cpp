#include <algorithm>
#include <utility>

#include "api/version.h"
#include "client/refusal.h"
#include "client/verbs.h"
#include "controller/conditions.h"
#include "controller/loop.h"
#include "controller/unsafe_timings.h"

/// How far what is seen can be believed: proofs that the server takes writes, streams that stay
/// behind, a server that went back in time; and what of it is told.
namespace nlc::controller {
namespace {

using api::older_version;

constexpr Duration probe_pause = std::chrono::seconds(1);
constexpr Duration question_timeout = std::chrono::seconds(5);

/// A stream of leases that says nothing for so long is asked about.
constexpr Duration question_after = std::chrono::seconds(5);

/// A server whose lists are of another time is asked again so soon.
constexpr Duration question_again = std::chrono::seconds(1);

/// Among so many leases one moves within a moment, if there is any life at all.
constexpr int sample = 100;

constexpr std::string_view lists_of_another_time =
    "the API server's lists of leases are of another time than its writes";

/// A lease that is younger shows that the server takes writes.
constexpr Duration fresh = std::chrono::seconds(15);

/// Kubelets renew their leases as often.
constexpr Duration renewal_period = std::chrono::seconds(10);

template <typename T>
HealthCheck check_of(std::string name, const informer::Reflector<T>& watch) {
  const informer::ReflectorState& state = watch.state();
  std::string detail = state.trouble;
  if (detail.empty() && !state.synced) detail = "the first list has not been read yet";
  return {.name = std::move(name), .ok = state.synced && state.trouble.empty(), .detail = detail};
}

template <typename T>
StreamCheck::Progress progress_of(const informer::Reflector<T>& watch) {
  return {.version = watch.version(), .applied = watch.state().applied};
}

/// What is wrong with a stream that is behind what direct reads have shown; empty when it is not.
template <typename T>
std::string lagging(StreamCheck& check, informer::Reflector<T>& watch, Instant proved,
                    std::string_view resource) {
  if (!watch.state().synced) return {};
  const StreamCheck::Verdict verdict = check.look(progress_of(watch), proved);
  if (verdict == StreamCheck::Verdict::Well) return {};
  if (verdict == StreamCheck::Verdict::Restart) {
    // A list that is being read must come to its end, however long that takes.
    watch.version().empty() ? watch.hurry() : watch.list_anew("stalled");
  }
  return "the watch of " + std::string(resource) + " is behind what reads and writes show";
}

}  // namespace

// --- proofs -------------------------------------------------------------------------------------

void Loop::lease_written(const std::string& version) {
  const Instant now = world_.clock.now();
  const bool was_blind = lifecycle_.sight().blind(now);
  lifecycle_.prove(now);
  if (versions_.lease_written(version, now)) {
    went_back("a lease of ours was written at version " + version + ", older than before",
              ServerVersions::Evidence::Write);
  }
  hurry();
  if (was_blind) run_soon();
}

/// The server was heard: nobody waits for it any longer.
void Loop::hurry() {
  node_watch_->hurry();
  if (lease_watch_) lease_watch_->hurry();
  pod_watch_->hurry();
}

void Loop::watch_sight(Moment at) {
  const Sight& sight = lifecycle_.sight();
  const Duration told = std::exchange(blind_told_, sight.blind_time(at.now));
  const Duration grown = std::max(blind_told_ - told, Duration{0});
  world_.metrics.blind_seconds().add(std::chrono::duration<double>(grown).count());
  const std::string why = unseen(at.now);
  hold(metrics::Hold::ServerPaused, why, at.now);
  const NodeLifecycle::Unread& unread = lifecycle_.unread();
  hold(metrics::Hold::LeaseUnread,
       unread.leases == 0 || unread.all
           ? ""
           : std::to_string(unread.leases) + " leases could not be read, the last: " + unread.why,
       at.now);
}

/// Why silence proves nothing at the moment; empty when it does, or nobody asks.
std::string Loop::unseen(Instant now) const {
  if (!judges() && eviction_.timers() == 0) return {};
  const bool asked_late = !judges() && write_probe_ && probe_refused_.empty();
  if (lifecycle_.sight().blind(now) && !asked_late) {
    const std::string why = "nothing proved that the API server takes writes";
    return probe_refused_.empty() ? why : why + ": " + probe_refused_;
  }
  if (versions_.lists_another_time(now)) return std::string(lists_of_another_time);
  const NodeLifecycle::Unread& unread = lifecycle_.unread();
  return unread.leases > 0 && unread.all ? "leases could not be read: " + unread.why : "";
}

void Loop::hold(metrics::Hold reason, const std::string& why, Instant now) {
  holds_.set(reason, !why.empty(), why, now,
             was_leading_ ? Holds::Voice::Events : Holds::Voice::Silent);
}

std::optional<Instant> Loop::next_probe() const {
  if (!write_probe_ || write_probe_->under_way()) return std::nullopt;
  return std::max(lifecycle_.sight().last_proof() + policy_.probe_after, probe_again_);
}

/// Where nothing else proves that the server takes writes, a write of our own does, once it is
/// taken. An answered read proves nothing of the kind.
void Loop::probe(Instant now) {
  const std::optional<Instant> due = next_probe();
  if (!due || now < *due) return;
  write_probe_->begin([this](Result<std::string> version) {
    probe_again_ = world_.clock.now() + probe_pause;
    probe_refused_ = version ? std::string() : version.error().path;
    if (version) lease_written(*version);
    run_soon();
  });
}

Instant Loop::next_question(Instant now) const {
  if (versions_.lists_another_time(now)) return questioned_ + question_again;
  return std::max(lease_watch_->state().last_progress, questioned_) + question_after;
}

/// A stream of leases that says nothing is held against a read of some of them, which also tells
/// where the server stands.
void Loop::question(Instant now) {
  if (!judges() || asking_ || now < next_question(now)) return;
  asking_ = true;
  client::Request request{
      .target = client::page_target(client::node_leases_path, {.limit = sample}),
      .timeout = question_timeout};
  const Asked asked{.reached = lease_watch_->version(),
                    .expected = versions_.expected_of_lists(now)};
  transport_.send(request, [this, request, asked](Result<client::Response> answer) {
    asking_ = false;
    questioned_ = world_.clock.now();
    if (Result<client::Response> response = client::accepted(request, std::move(answer))) {
      question_answered(asked, *response);
    }
    run_soon();
  });
}

void Loop::question_answered(const Asked& asked, const client::Response& response) {
  const auto page = api::Decoder<api::NodeLease>().list(response.body);
  if (!page) return;
  const Instant now = world_.clock.now();
  for (const api::NodeLease& lease : page->items) lifecycle_.lease_shown(lease, now);
  const bool doubted = versions_.lists_another_time(now);
  if (versions_.leases_listed(page->resource_version, asked.expected, now)) return;
  if (doubted) look_wanted_ = true;
  if (!asked.reached.empty() && older_version(page->resource_version, asked.reached)) {
    return went_back("the API server is at version " + page->resource_version + " and was at " +
                     asked.reached);
  }
  compare_with_stream(page->items);
  hurry();
}

/// Where leases of nodes that say Ready were not renewed in the moments before this process came,
/// the server may have just come back, perhaps with a backup: its nodes have yet to say how they
/// are. One in ten may have died.
void Loop::doubt_the_past(Moment at) {
  if (!judges() || std::exchange(past_seen_, true)) return;
  std::size_t alive = 0;
  std::size_t silent = 0;
  nodes_.each([&](Slot slot, const api::Node& node) {
    if (!is_ready(node)) return;
    const std::optional<api::NodeLease> lease = leases_.find(node.name);
    calendars_.heard(slot,
                     lease ? lease->renewed : node.condition(api::condition::ready)->last_heartbeat,
                     renewal_period, at);
    if (!lease || !lease->renewed) return;
    ++(age_of(*lease->renewed, at) <= fresh ? alive : silent);
  });
  if (silent > alive / 10) lifecycle_.doubt_the_past();
}

// --- streams ------------------------------------------------------------------------------------

/// The last proof stands for now: a server that is paused lets no stream be behind it.
void Loop::watch_streams(Instant now) {
  watch_time_going_back(now);
  const Instant proved = lifecycle_.sight().last_proof();
  std::string why;
  const auto look_at = [&](StreamCheck& check, auto& watch, std::string_view resource) {
    if (!watch) return;
    if (std::string lag = lagging(check, *watch, proved, resource); !lag.empty()) why = lag;
  };
  look_at(node_check_, node_watch_, "nodes");
  look_at(lease_check_, lease_watch_, "leases");
  look_at(pod_check_, pod_watch_, "pods");
  hold(metrics::Hold::StreamStalled, why, now);
}

/// A quorum read of leases stands for the stream, and is held against it.
void Loop::compare_with_stream(const std::vector<api::NodeLease>& found) {
  std::string_view newest;
  for (const api::NodeLease& lease : found) {
    if (older_version(newest, lease.resource_version)) newest = lease.resource_version;
    const std::optional<api::NodeLease> known = leases_.find(lease.name);
    if (!known || known->uid != lease.uid) continue;
    if (lease.renewed > known->renewed &&
        older_version(lease.resource_version, known->resource_version)) {
      return went_back("the lease of " + lease.name + " was renewed in an older version");
    }
  }
  const Instant since = lease_watch_->state().last_progress;
  lease_check_.found(newest, progress_of(*lease_watch_), since);
}

/// What a server answered directly goes into the store, and the stream has to bring it as well.
void Loop::take_node(const std::optional<api::Node>& answered, Answered by) {
  if (!answered) return;
  node_check_.found(answered->resource_version, progress_of(*node_watch_), world_.clock.now());
  by == Answered::Write ? nodes_.refresh(*answered) : nodes_.refresh_by_read(*answered);
}

void Loop::take_pod(const std::optional<api::Pod>& answered) {
  if (!answered) return;
  pod_check_.found(answered->resource_version, progress_of(*pod_watch_), world_.clock.now());
  pods_.refresh(*answered);
}

/// Of a list of another time, what is newer than what is known counts, and nothing else.
Result<FoundLeases> Loop::unless_of_another_time(Result<FoundLeases> found) {
  const Instant now = world_.clock.now();
  if (!found) return found;
  const std::string& version = found->list_version;
  const bool late = version.empty() ? versions_.lists_another_time(now)
                                    : versions_.leases_listed(version, leases_expected_, now);
  if (!late) return found;
  for (const api::NodeLease& lease : found->leases) lifecycle_.lease_shown(lease, now);
  return Error{Fault::Malformed, std::string(lists_of_another_time)};
}

ServerVersions::Lists Loop::lists() const {
  return {.nodes = node_watch_->state().lists,
          .leases = lease_watch_ ? lease_watch_->state().lists : 0,
          .pods = pod_watch_->state().lists};
}

void Loop::went_back(const std::string& how, ServerVersions::Evidence evidence) {
  if (!versions_.went_back(how, evidence, lists())) return;
  for (StreamCheck* check : {&node_check_, &lease_check_, &pod_check_}) check->forget();
  node_watch_->list_anew("version_rewound");
  if (lease_watch_) lease_watch_->list_anew("version_rewound");
  pod_watch_->list_anew("version_rewound");
}

/// What was remembered of heartbeats stays.
void Loop::watch_time_going_back(Instant now) {
  const std::uint64_t of_leases = lease_watch_ ? lease_watch_->rewinds() : 0;
  const std::uint64_t seen = node_watch_->rewinds() + of_leases + pod_watch_->rewinds();
  if (std::exchange(rewinds_seen_, seen) != seen) {
    went_back("a list is older than what was seen", ServerVersions::Evidence::List);
  }
  const ServerVersions::Turn turn = versions_.follow(lists(), now);
  if (turn == ServerVersions::Turn::Listed) {
    lifecycle_.leases_listed_anew();
    eviction_.doubt_accepted(now);
    timeout_eviction_.doubt_accepted(now);
  }
  if (turn != ServerVersions::Turn::None) look_wanted_ = true;
  hold(metrics::Hold::VersionRewound, versions_.how(), now);
}

// --- what is told -------------------------------------------------------------------------------

void Loop::publish_health(Instant now) {
  std::vector<HealthCheck> checks;
  checks.push_back({.name = "ping", .ok = true, .detail = {}});
  checks.push_back(check_of("informer-nodes", *node_watch_));
  if (judges()) checks.push_back(check_of("informer-leases", *lease_watch_));
  checks.push_back(check_of("informer-pods", *pod_watch_));
  checks.push_back(holds_.check(now));
  world_.health.publish(std::move(checks), now);
}

/// Once, when the first look has counted the zones.
void Loop::warn_of_silent_stop() {
  if (std::exchange(zones_looked_at_, true)) return;
  const std::vector<int> sizes = lifecycle_.zone_sizes();
  if (const std::optional<Warning> warning = silent_stop(policy_, sizes)) {
    world_.log.warning("zones may stop evicting",
                       {{"rule", std::string(warning->rule)}, {"why", warning->message}});
  }
}

void Loop::publish_waiting() {
  const auto publish = [this](metrics::Queue queue, std::size_t waiting) {
    world_.metrics.queue(queue).depth.set(static_cast<double>(waiting));
  };
  publish(metrics::Queue::Nodes, lifecycle_.troubled());
  publish(metrics::Queue::PodMarks, readiness_.waiting());
  publish(metrics::Queue::PodEvictions, eviction_.troubled() + timeout_eviction_.waiting());
}

void Loop::tell_troubles(Instant now) {
  for (const PodRef& pod : readiness_.take_undone()) {
    world_.metrics.writes(metrics::Write::PodStatus, "undone").add();
    troubles_.undone(metrics::Queue::PodMarks, {"pod", pod.key()}, "Ready=False", now);
  }
  // Who does not lead wants nothing written.
  const auto wanted = [this](std::size_t troubled) { return was_leading_ ? troubled : 0; };
  troubles_.follow(metrics::Queue::Nodes, wanted(lifecycle_.troubled()), now);
  troubles_.follow(metrics::Queue::PodMarks, wanted(readiness_.troubled()), now);
  troubles_.follow(metrics::Queue::PodEvictions,
                   wanted(eviction_.troubled() + timeout_eviction_.troubled()), now);
  const std::size_t unread = wanted(reads_.failing());
  hold(metrics::Hold::NodeUnread,
       unread == 0 ? ""
                   : std::to_string(unread) +
                         " nodes could not be read, the last: " + reads_.last_failure(),
       now);
}

void Loop::publish_informers() {
  node_watch_->publish_gauges();
  if (lease_watch_) lease_watch_->publish_gauges();
  pod_watch_->publish_gauges();
}

}  // namespace nlc::controller

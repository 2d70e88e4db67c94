#include "election/elector.h"

#include <algorithm>
#include <utility>

#include "runtime/go_duration.h"

namespace nlc::election {

Elector::Elector(ElectorWorld world, ElectionOptions options, ElectorEvents events)
    : world_(std::move(world)),
      options_(std::move(options)),
      events_(std::move(events)),
      machine_(options_, Random(world_.seed)),
      // One try must leave time for others before the lease ends (S5).
      lock_({world_.transport, world_.clock}, options_, options_.renew_deadline / 3),
      ungated_(world_.transport),
      event_transport_(ungated_, world_.clock, world_.executor, {}) {
  if (!options_.event_component.empty()) {
    recorder_.emplace(client::EventRecorder::World{event_transport_, world_.clock, world_.log, {}},
                      options_.event_component);
  }
  world_.metrics.leading.set(0);
  follow();
  perform(machine_.start(world_.clock.now()));
}

Elector::~Elector() {
  *alive_ = false;
  world_.gate.close();
}

void Elector::follow() {
  for (const LockPlace& place : lock_.places()) {
    watches_.push_back(std::make_unique<LockWatch>(
        LockWatch::World{.transport = world_.transport,
                         .clock = world_.clock,
                         .executor = world_.executor,
                         .log = world_.log,
                         .seed = world_.seed + watches_.size() + 1},
        place, [this, place](const LockSighting& sighting) { sighted(place, sighting); }));
  }
}

void Elector::perform(const ElectionStep& step) {
  lock_.drop();
  timer_.end();
  pausing_ = false;
  publish();
  std::visit([this](const auto& next) { begin(next); }, step);
}

void Elector::begin(const ReadLock&) {
  look_wanted_ = false;
  lock_.read([this](Result<LockRecord> lock) {
    if (!lock && lock.error().fault != Fault::NotFound) note_trouble(lock.error());
    if (lock) tell_watches();
    perform(machine_.on_read(std::move(lock), world_.clock.now(), world_.clock.wall_now()));
  });
}

void Elector::tell_watches() {
  for (std::size_t i = 0; i < watches_.size(); ++i) watches_[i]->known_at(lock_.version_of(i));
}

void Elector::begin(const CreateLock& step) {
  lock_.create(step.record, [this, sent = world_.clock.now()](Result<LockRecord> lock) {
    answered(std::move(lock), sent);
  });
}

void Elector::begin(const WriteLock& step) {
  lock_.write(step.record, [this, sent = world_.clock.now()](Result<LockRecord> lock) {
    answered(std::move(lock), sent);
  });
}

void Elector::answered(Result<LockRecord> lock, Instant sent) {
  const Instant now = world_.clock.now();
  if (lock) {
    trouble_.clear();
    tell_watches();
    renewed(sent, now - sent);
  } else {
    note_trouble(lock.error());
  }
  perform(machine_.on_written(std::move(lock), sent, now));
}

/// Slow renewals are the first sign of a lease that is too short for its server (A14).
void Elector::renewed(Instant sent, Duration took) {
  renewed_ = sent;
  world_.metrics.renewal.observe(std::chrono::duration<double>(took).count());
  const bool slow = took > options_.lease_duration / 3;
  if (slow && !told_slow_) {
    world_.log.warning("renewal was slow, consider a longer lease",
                       {{"lease", options_.lease_name}, {"took", go_duration(took)}});
  }
  told_slow_ = slow;
  if (events_.on_renewed) tell(events_.on_renewed);
}

/// Said once when trouble begins or changes, not for each try.
void Elector::note_trouble(const Error& error) {
  if (error.path == trouble_) return;
  trouble_ = error.path;
  world_.log.warning("election hindered", {{"lease", options_.lease_name}, {"error", trouble_}});
}

void Elector::begin(const Pause& step) {
  if (look_is_due()) return perform(machine_.look(world_.clock.now()));
  pausing_ = true;
  timer_ = world_.executor.run_at(step.until, [this] { wake(); });
}

void Elector::wake() {
  perform(machine_.wake(world_.clock.now(), world_.clock.wall_now(), work()));
}

/// A leader whose work is stuck must not hold the lock for ever (A4).
Work Elector::work() {
  if (!world_.last_worked) return Work::Moving;
  const Instant last = world_.last_worked();
  if (world_.clock.now() - last <= options_.work_limit) {
    stuck_since_.reset();
    return Work::Moving;
  }
  if (!stuck_since_) {
    world_.log.error(
        "work is stuck, the lease is not renewed",
        {{"lease", options_.lease_name}, {"since", go_duration(world_.clock.now() - last)}});
  }
  stuck_since_ = last;
  return Work::Stuck;
}

void Elector::begin(const Finished&) {
  patience_.end();
  watches_.clear();
  if (auto stopped = std::exchange(on_stopped_, nullptr)) tell(std::move(stopped));
}

/// Halves of a pair cannot be compared with the whole; what is odd about one is worth a look.
void Elector::sighted(const LockPlace& place, const LockSighting& sighting) {
  const LockRecord& record = sighting.object.record;
  const bool look = lock_.is_pair()
                        ? sighting.gone || record.holder != machine_.holder()
                        : machine_.on_sighting(record, sighting.gone, world_.clock.now());
  if (!sighting.gone) lock_.note(place, sighting.object);
  look_wanted_ = look_wanted_ || look;
  publish();
  if (pausing_ && look_is_due()) perform(machine_.look(world_.clock.now()));
}

bool Elector::look_is_due() { return look_wanted_ && work() == Work::Moving; }

Standing Elector::standing() const {
  return {.lock = options_.lease_name,
          .leader = machine_.holder(),
          .leader_until = machine_.holder_until(),
          .holds = machine_.holds(),
          .valid_until = machine_.valid_until(),
          .renewed = renewed_,
          .lease = options_.lease_duration,
          .stuck_since = stuck_since_};
}

/// The gate follows the validity before anything else is done; a timer notices its end.
void Elector::publish() {
  const bool leads = machine_.leads(world_.clock.now());
  if (leads) {
    world_.gate.open_until(machine_.valid_until());
    end_of_reign_ = world_.executor.run_at(machine_.valid_until(), [this] { publish(); });
  } else {
    world_.gate.close();
    end_of_reign_.end();
  }
  world_.metrics.slow_path.add(static_cast<double>(
      machine_.slow_paths() - std::exchange(counted_slow_paths_, machine_.slow_paths())));
  if (world_.board != nullptr) world_.board->publish(standing());
  tell_leader();
  if (leads != was_leading_) tell_change(leads);
}

void Elector::tell_leader() {
  if (machine_.holder() == told_leader_) return;
  told_leader_ = machine_.holder();
  world_.metrics.transitions.add();
  world_.log.info("leader changed", {{"lease", options_.lease_name}, {"leader", told_leader_}});
  if (events_.on_new_leader) {
    tell([this, leader = told_leader_] { events_.on_new_leader(leader); });
  }
}

void Elector::tell_change(bool leads) {
  was_leading_ = leads;
  world_.metrics.leading.set(leads ? 1 : 0);
  world_.log.info(leads ? "began to lead" : "ceased to lead",
                  {{"lease", options_.lease_name}, {"identity", options_.identity}});
  record_event(leads);
  if (events_.on_change) tell([this, leads] { events_.on_change(leads); });
}

void Elector::record_event(bool leads) {
  if (!recorder_) return;
  for (const client::EventSubject& subject : lock_.subjects()) {
    recorder_->record(
        subject, {.reason = "LeaderElection",
                  .message = options_.identity + (leads ? " became leader" : " stopped leading")});
  }
}

/// Posted, so that whoever is told may stop or destroy this elector.
void Elector::tell(std::function<void()> news) {
  world_.executor.post([alive = alive_, news = std::move(news)] {
    if (*alive) news();
  });
}

void Elector::stop(Duration patience, std::function<void()> done) {
  on_stopped_ = std::move(done);
  patience_ =
      world_.executor.run_at(world_.clock.now() + patience, [this] { perform(Finished{}); });
  if (const auto step = machine_.stop()) return perform(*step);
  publish();
}

}  // namespace nlc::election

#include "election/elector.h"

#include <utility>

#include "runtime/go_duration.h"
#include "runtime/planted.h"

namespace nlc::election {

Elector::Elector(ElectorEnv env, ElectionOptions options, ElectorEvents events)
    : env_(std::move(env)),
      options_(std::move(options)),
      events_(std::move(events)),
      machine_(options_, Random(env_.seed)),
      lock_({env_.transport, env_.clock}, options_),
      migration_check_({env_.transport, env_.clock, env_.log}, options_),
      leadership_events_({env_.transport, env_.clock, env_.log}, options_.event_component),
      trouble_(env_.log, options_) {
  env_.metrics.leading.set(0);
  follow();
  perform(machine_.look(env_.clock.now()));
}

Elector::~Elector() { env_.gate.close(); }

void Elector::follow() {
  for (const LockPlace& place : lock_.places()) {
    const std::uint64_t of_its_own = watches_.size() + 1;
    watches_.push_back(std::make_unique<LockWatch>(
        LockWatch::Env{.transport = env_.transport,
                       .clock = env_.clock,
                       .executor = env_.executor,
                       .log = env_.log,
                       .seed = env_.seed + of_its_own},
        place, [this, place](const LockChange& change) { lock_seen(place, change); }));
  }
}

void Elector::perform(const ElectionStep& step) {
  lock_.drop();
  migration_check_.drop();
  checking_ = false;
  pause_.reset();
  publish();
  std::visit([this](const auto& next) { begin(next); }, step);
}

void Elector::begin(const ReadLock&) {
  look_wanted_ = false;
  lock_.read([this](Result<LockRecord> lock) { found(std::move(lock)); });
}

void Elector::found(Result<LockRecord> lock) {
  const bool there = static_cast<bool>(lock);
  const bool known = there || lock.error().fault == Fault::NotFound;
  look_failed_ = !known;
  if (!known) trouble_.refused(lock.error(), env_.clock.now());
  if (known) looked_ = env_.clock.now();
  const ElectionStep next =
      machine_.on_read(std::move(lock), env_.clock.now(), env_.clock.wall_now());
  if (there || machine_.rewinds() != told_.rewinds) tell_watches();
  if (known && std::holds_alternative<Pause>(next)) {
    trouble_.able(env_.clock.now());
    trouble_.waits(machine_, env_.clock.now());
  }
  perform(next);
}

/// After the server went back in time the watches start over: a stream from a later version would
/// show nothing until the server has reached that version again.
void Elector::tell_watches() {
  const bool back = std::exchange(told_.rewinds, machine_.rewinds()) != machine_.rewinds();
  if (back && events_.on_server_went_back) tell([this] { events_.on_server_went_back(); });
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    const std::string version = lock_.version_of(i);
    back ? watches_[i]->gone_back_to(version) : watches_[i]->known_at(version);
  }
}

void Elector::begin(const CreateLock& step) {
  check_then([this, record = step.record] { lock_.create(record, on_answer()); });
}

void Elector::begin(const WriteLock& step) {
  const auto send = [this, record = step.record] { lock_.write(record, on_answer()); };
  const bool releases = step.record.holder.empty();
  releases ? send() : check_then(send);
}

/// Runs the migration check before a claim, and by an old lock until that lets us lead, for another
/// may claim by another kind in the same moment. Not before a renewal, for candidates for locks of
/// other kinds see ours being renewed and hold back.
void Elector::check_then(std::function<void()> send) {
  const Instant settled =
      is_old(options_.lock) ? machine_.valid_until() : machine_.respected_until();
  if (env_.clock.now() < settled) return send();
  checking_ = true;
  migration_check_.ask(machine_.holder(), [this, send = std::move(send)](
                                              std::optional<MigrationCheck::Reason> reason) {
    checking_ = false;
    if (!reason) return send();
    trouble_.met(reason->kind, reason->text, env_.clock.now());
    perform(machine_.withhold(env_.clock.now()));
  });
}

/// The same once, while standing by. Otherwise an abandoned lock of another kind would first be
/// read when ours becomes free, and would delay the takeover by a whole lease duration.
void Elector::check_early() {
  if (migration_check_.was_answered()) return;
  migration_check_.ask(machine_.holder(), [](const std::optional<MigrationCheck::Reason>&) {});
}

/// Of a write that is sent now.
std::function<void(Result<LockRecord>)> Elector::on_answer() {
  writing_ = true;
  return
      [this, sent = env_.clock.now()](Result<LockRecord> lock) { answered(std::move(lock), sent); };
}

void Elector::answered(Result<LockRecord> lock, Instant sent) {
  const Instant now = env_.clock.now();
  const bool taken = static_cast<bool>(lock);
  writing_ = false;
  if (!taken) trouble_.refused(lock.error(), now);
  const ElectionStep next = machine_.on_written(std::move(lock), sent, now);
  if (taken) {
    env_.metrics.renewal.observe(now - sent);
    trouble_.wrote_in(now - sent);
    wrote_ = sent;
    looked_ = now;
    tell_watches();
  }
  if (taken && machine_.holds()) {
    renewed_ = sent;
    trouble_.able(sent);
    trouble_.over(now);
  }
  perform(next);
}

void Elector::begin(const Pause& step) {
  if (look_is_due()) return perform(machine_.look(env_.clock.now()));
  check_early();
  pause_ = env_.executor.run_at(step.until, [this] { wake(); });
}

void Elector::wake() {
  look_failed_ = false;
  perform(machine_.wake(env_.clock.now(), env_.clock.wall_now(), work()));
}

/// A leader whose work is stuck must not hold the lock for ever (spec/incidents.md "Stuck leader").
Work Elector::work() {
  if (!env_.last_worked) return Work::Moving;
  const Instant last = env_.last_worked();
  if (env_.clock.now() - last <= options_.work_limit) {
    stuck_since_.reset();
    return Work::Moving;
  }
  if (!stuck_since_) {
    env_.log.error(
        "work is stuck, the lease is not renewed",
        {{"lease", options_.lease_name}, {"since", go_duration(env_.clock.now() - last)}});
  }
  stuck_since_ = last;
  return Work::Stuck;
}

void Elector::begin(const Finished& step) {
  if (step.left_behind) {
    env_.log.warning("the lease could not be given back, it is left to run out",
                     {{"lease", options_.lease_name}, {"identity", options_.identity}});
  }
  finished_ = true;
  stop_timeout_.end();
  watches_.clear();
  for (auto& stopped : std::exchange(on_stopped_, {})) tell(std::move(stopped));
}

void Elector::lock_seen(const LockPlace& place, const LockChange& change) {
  const LockRecord& seen = change.object.record;
  const Instant now = env_.clock.now();
  if (lock_.is_news(place, change)) {
    if (lock_.is_pair()) {
      const std::string version = lock_.pair_version_with(place, seen);
      look_wanted_ |= machine_.on_half_change(seen, change.gone, version, now);
    } else {
      look_wanted_ |= machine_.on_change(seen, change.gone, now);
    }
  }
  lock_.note(place, change);
  publish();
  if (pause_ && look_is_due()) perform(machine_.look(env_.clock.now()));
}

/// Not while the work is stuck: what is read could not be acted on. After a look that failed not
/// before its pause is over: watches may show each renewal of the leader.
bool Elector::look_is_due() {
  if (!look_wanted_ || look_failed_ || !machine_.may_look(env_.clock.now())) return false;
  return work() == Work::Moving;
}

LeaderStatus Elector::leader_status() const {
  LeaderStatus status{.lock = options_.lease_name,
                      .leader = machine_.holder(),
                      .leader_until = machine_.holder_until(),
                      .holds = machine_.holds(),
                      .valid_until = machine_.valid_until(),
                      .renewed = renewed_,
                      .lease = options_.lease_duration,
                      .stuck_since = stuck_since_};
  trouble_.show(status);
  return status;
}

/// Brings everything visible up to date with the machine, the gate first; a timer calls it again
/// when the lease validity ends.
void Elector::publish() {
  const bool leads = machine_.leads(env_.clock.now());
  const bool stays_open = planted("gate-never-closes");
  if (leads) {
    env_.gate.open_until(stays_open ? Instant::max() : machine_.valid_until());
    end_of_validity_ = env_.executor.run_at(machine_.valid_until(), [this] { publish(); });
  } else {
    if (!stays_open) env_.gate.close();
    end_of_validity_.end();
  }
  env_.metrics.slow_path.add(static_cast<double>(
      machine_.slow_paths() - std::exchange(told_.slow_paths, machine_.slow_paths())));
  if (env_.board != nullptr) env_.board->publish(leader_status());
  // A watch may show a write of ours before it is acknowledged.
  if (!writing_) tell_write();
  tell_leader();
  if (leads != told_.leading) tell_change(leads);
}

/// The other half of a pair may be taken while its Lease is refused: that says nothing of Leases.
/// What others wrote while nobody looked, as of who was stopped or cut off, is not of now, and a
/// watch tells all of it when it goes on.
void Elector::tell_write() {
  const std::string version = lock_.lease_version();
  const bool lease_moved = std::exchange(told_.lease_version, version) != version;
  const bool written =
      std::exchange(told_.writes, machine_.lock_writes()) != machine_.lock_writes();
  const bool is_ours = std::exchange(told_.wrote, wrote_) != wrote_;
  const Instant last_look = std::exchange(told_.looked, looked_);
  const bool is_of_now = is_ours || last_look + options_.renew_deadline >= env_.clock.now();
  const bool is_half = lock_.is_pair() && !lease_moved;
  if (!written || !is_of_now || is_half || !events_.on_lock_written) return;
  tell([this, version, sent = wrote_] { events_.on_lock_written(version, sent); });
}

/// Not while a rewind is waited out: the holder that an old record names may not lead any more.
void Elector::tell_leader() {
  if (machine_.waits_out_a_rewind(env_.clock.now())) return;
  if (machine_.holder() == told_.leader) return;
  told_.leader = machine_.holder();
  env_.metrics.transitions.add();
  env_.log.info("leader changed", {{"lease", options_.lease_name}, {"leader", told_.leader}});
  if (events_.on_new_leader) {
    tell([this, leader = told_.leader] { events_.on_new_leader(leader); });
  }
}

void Elector::tell_change(bool leads) {
  told_.leading = leads;
  env_.metrics.leading.set(leads ? 1 : 0);
  env_.log.info(leads ? "began to lead" : "ceased to lead",
                {{"lease", options_.lease_name}, {"identity", options_.identity}});
  leadership_events_.record(lock_, options_.identity, leads);
  if (events_.on_change) tell([this, leads] { events_.on_change(leads); });
}

/// Posted, so that whoever is told may stop or destroy this elector.
void Elector::tell(std::function<void()> event) {
  env_.executor.post(callbacks_.guard([event = std::move(event)] {
    if (event) event();
  }));
}

void Elector::stop(Duration timeout, std::function<void()> done) {
  if (finished_) return tell(std::move(done));
  on_stopped_.push_back(std::move(done));
  if (on_stopped_.size() > 1) return;
  if (checking_) (void)machine_.withhold(env_.clock.now());
  stop_timeout_ = env_.executor.run_at(env_.clock.now() + timeout,
                                       [this] { perform(Finished{.left_behind = true}); });
  if (const auto step = machine_.stop()) perform(*step);
}

}  // namespace nlc::election

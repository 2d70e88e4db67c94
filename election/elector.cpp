#include "election/elector.h"

#include <algorithm>
#include <utility>

#include "client/verbs.h"

namespace nlc::election {

using client::Lane;

Elector::Elector(ElectorWorld world, ElectionOptions options, ElectorEvents events)
    : world_(world),
      options_(options),
      events_(std::move(events)),
      machine_(std::move(options), Random(world.seed)) {
  perform(machine_.start());
}

Elector::~Elector() {
  *alive_ = false;
  if (current_) *current_ = false;
  world_.gate.close();
}

/// One try must leave time for others before the lease ends (S5).
Duration Elector::attempt_limit() const { return options_.renew_deadline / 3; }

void Elector::perform(const ElectionStep& step) {
  if (current_) *current_ = false;
  current_ = std::make_shared<bool>(true);
  timer_.end();
  publish();
  std::visit([this](const auto& next) { begin(next); }, step);
}

void Elector::begin(const ReadLock&) {
  client::get_lease(
      world_.transport, Lane::Election, options_.lease_namespace, options_.lease_name,
      attempt_limit(), [this, current = current_](Result<api::Lease> lock) {
        if (!*current) return;
        if (!lock && lock.error().fault != Fault::NotFound) note_trouble(lock.error());
        perform(machine_.on_read(std::move(lock), world_.clock.now(), world_.clock.wall_now()));
      });
}

void Elector::begin(const CreateLock& step) {
  client::create_lease(
      world_.transport, Lane::Election, step.lease, attempt_limit(),
      [this, current = current_, sent = world_.clock.now()](Result<api::Lease> lock) {
        if (*current) answered(std::move(lock), sent);
      });
}

void Elector::begin(const WriteLock& step) {
  client::update_lease(
      world_.transport, Lane::Election, step.lease, attempt_limit(),
      [this, current = current_, sent = world_.clock.now()](Result<api::Lease> lock) {
        if (*current) answered(std::move(lock), sent);
      });
}

void Elector::answered(Result<api::Lease> lock, Instant sent) {
  if (lock) {
    trouble_.clear();
    if (events_.on_renewed) tell(events_.on_renewed);
  } else {
    note_trouble(lock.error());
  }
  perform(machine_.on_written(std::move(lock), sent, world_.clock.now()));
}

/// Said once when trouble begins or changes, not for each try.
void Elector::note_trouble(const Error& error) {
  if (error.path == trouble_) return;
  trouble_ = error.path;
  world_.log.warning("election hindered", {{"lease", options_.lease_name}, {"error", trouble_}});
}

void Elector::begin(const Pause& step) {
  timer_ = world_.executor.run_at(
      step.until, [this] { perform(machine_.wake(world_.clock.now(), world_.clock.wall_now())); });
}

void Elector::begin(const Finished&) {
  patience_.end();
  if (auto stopped = std::exchange(on_stopped_, nullptr)) tell(std::move(stopped));
}

/// The gate follows the validity before anything else is done; a timer notices its end.
void Elector::publish() {
  const Instant now = world_.clock.now();
  const bool leads = machine_.leads(now);
  if (leads) {
    world_.gate.open_until(machine_.valid_until());
    end_of_reign_ = world_.executor.run_at(machine_.valid_until(), [this] { publish(); });
  } else {
    world_.gate.close();
    end_of_reign_.end();
  }
  if (machine_.holder() != told_leader_) {
    told_leader_ = machine_.holder();
    world_.log.info("leader changed", {{"lease", options_.lease_name}, {"leader", told_leader_}});
    if (events_.on_new_leader) {
      tell([this, leader = told_leader_] { events_.on_new_leader(leader); });
    }
  }
  if (leads == was_leading_) return;
  was_leading_ = leads;
  world_.log.info(leads ? "began to lead" : "ceased to lead",
                  {{"lease", options_.lease_name}, {"identity", options_.identity}});
  if (events_.on_change) tell([this, leads] { events_.on_change(leads); });
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
  if (const auto step = machine_.stop(world_.clock.wall_now())) return perform(*step);
  publish();
}

}  // namespace nlc::election

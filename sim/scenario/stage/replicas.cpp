#include "sim/scenario/stage/replicas.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "sim/stoppable_executor.h"

namespace nlc::sim::scenario {
namespace {

/// So far are the seeds of one replica's lives, and those of two replicas, from each other.
constexpr std::uint64_t seeds_of_a_life = 100;
constexpr std::uint64_t seeds_of_a_replica = 100'000;

/// The calendar of one machine; all of them boot at the same moment.
class MachineClock final : public Clock {
 public:
  explicit MachineClock(const Clock& env) : env_(env) {}
  Instant now() const override { return env_.now(); }
  WallTime wall_now() const override {
    return env_.wall_now() + std::chrono::floor<std::chrono::microseconds>(ahead_);
  }
  void set(Duration ahead) { ahead_ = ahead; }

 private:
  const Clock& env_;
  Duration ahead_{0};
};

/// Tells the interceptor whose requests these are.
class NamedWay final : public client::Endpoint {
 public:
  NamedWay(RequestInterceptor& interceptor, std::string name)
      : interceptor_(interceptor), name_(std::move(name)) {}
  Subscription serve(client::IncomingRequest request,
                     std::unique_ptr<client::Reply> reply) override {
    return interceptor_.serve(name_, std::move(request), std::move(reply));
  }

 private:
  RequestInterceptor& interceptor_;
  const std::string name_;
};

std::string told_name(const std::string& name) {
  return name.empty() ? "the controller" : "replica " + name;
}

}  // namespace

class Replicas::Machine {
 public:
  Machine(Replicas& all, std::string name, std::uint64_t number)
      : all_(all),
        env_(all.env_),
        name_(std::move(name)),
        seed_(env_.seed + seeds_of_a_replica * number),
        clock_(env_.time),
        executor_(env_.time),
        way_(env_.interceptor, name_),
        log_(env_.story, name_, env_.keep_log ? &all.log_ : nullptr) {}

  void start() {
    next_life_.reset();
    if (process_) return;
    ++lives_;
    began_ = env_.story.offset();
    env_.story.tell("step", told_name(name_) + " starts");
    const std::uint64_t seed = seed_of_life();
    process_.emplace(Process::Env{.clock = clock_,
                                  .executor = executor_,
                                  .wire = &env_.time,
                                  .endpoint = way_,
                                  .log = log_,
                                  .identity = identity(),
                                  .link = link_,
                                  .ended = [this](int exit_code) { ended(exit_code); }},
                     flags(), seed);
  }

  /// Unless it is started or killed before.
  void start_after(Duration down) {
    next_life_ = env_.time.run_at(env_.time.now() + down, [this] { start(); });
  }

  void end(const char* how) {
    next_life_.reset();
    if (!process_) return;
    env_.story.tell("step", told_name(name_) + how);
    process_.reset();
    stopping_ = false;
    executor_.go_on();
  }

  /// Why such a signal would change nothing; empty: it would.
  std::string_view refusal_of(Signal signal) const {
    if (signal == Signal::Kill && next_life_) return {};
    if (!process_) return " does not run";
    if (signal == Signal::Stop && stopping_) return " is stopping already";
    if (signal == Signal::Pause && is_paused()) return " is paused already";
    if (signal == Signal::Resume && !is_paused()) return " is not paused";
    return {};
  }

  void take(Signal signal) {
    switch (signal) {
      case Signal::Stop:
        return stop();
      case Signal::Kill:
        return end(" ends");
      case Signal::Pause:
        env_.story.tell("step", told_name(name_) + " is paused");
        return executor_.stop();
      case Signal::Resume:
        env_.story.tell("step", told_name(name_) + " goes on");
        return executor_.go_on();
    }
  }

  void set_link(Link link) {
    link_ = link;
    if (process_) process_->set_link(link);
  }
  void set_calendar(Duration ahead) { clock_.set(ahead); }

  const Process* process() const { return process_ ? &*process_ : nullptr; }
  bool is_paused() const { return executor_.is_stopped(); }
  Duration began() const { return began_; }
  /// Of one that leads. A cold standby begins with it.
  Instant watched_since() const {
    const program::LeaderElectFlags& elect = flags().leader_elect;
    const bool cold = elect.enabled && elect.standby == program::Standby::Cold;
    return cold ? env_.time.now() : env_.story.origin() + began_;
  }
  bool ever_started() const { return lives_ > 0; }
  /// In the election: each life is a candidate of its own.
  std::string identity() const {
    return name_.empty() ? "scenario_" + std::to_string(seed_of_life())
                         : name_ + "_" + std::to_string(lives_);
  }
  std::string life() const { return name_ + "#" + std::to_string(lives_); }
  /// Whether it is another life that leads, or none any more, since this was asked last.
  bool leads_otherwise() {
    const bool leads = process_ && process_->leads(env_.time.now());
    const std::uint64_t leading = leads ? lives_ : 0;
    return std::exchange(told_leading_, leading) != leading;
  }

 private:
  void stop() {
    stopping_ = true;
    env_.story.tell("step", told_name(name_) + " is asked to stop");
    executor_.post([this, life = lives_] {
      if (process_ && life == lives_) process_->stop();
    });
  }

  void ended(int exit_code) {
    end(exit_code == 0 ? " has stopped" : " has ended with exit code 1");
    const auto down = all_.restarts_.find(name_);
    if (exit_code != 0 && down != all_.restarts_.end()) start_after(down->second);
  }
  const program::Flags& flags() const { return env_.flags.of(name_); }
  std::uint64_t seed_of_life() const { return seed_ + seeds_of_a_life * lives_; }

  Replicas& all_;
  const Env& env_;
  const std::string name_;
  const std::uint64_t seed_;
  MachineClock clock_;
  StoppableExecutor executor_;
  NamedWay way_;
  StoryLog log_;
  Link link_ = Link::Up;
  std::uint64_t lives_ = 0;
  std::uint64_t told_leading_ = 0;
  Duration began_{0};
  bool stopping_ = false;
  std::optional<Process> process_;
  std::optional<Timer> next_life_;
};

Replicas::Replicas(Env env) : env_(env) {}
Replicas::~Replicas() = default;

Replicas::Machine& Replicas::machine(const std::string& name) {
  std::unique_ptr<Machine>& place = machines_[name];
  if (!place) place = std::make_unique<Machine>(*this, name, machines_.size() - 1);
  return *place;
}

void Replicas::post(std::function<void()> work) {
  timers_.push_back(env_.time.run_at(env_.time.now(), std::move(work)));
}

void Replicas::start(const std::string& name) { machine(name).start(); }

void Replicas::signal(const std::string& name, Signal signal, Refused refused) {
  post([this, name, signal, refused = std::move(refused)] {
    Machine& told = machine(name);
    const std::string_view why = told.refusal_of(signal);
    if (!why.empty()) return refused(told_name(name).append(why));
    told.take(signal);
  });
}

void Replicas::restart(const std::string& name, Duration down, Refused refused) {
  post([this, name, down, refused = std::move(refused)] {
    if (process(name) == nullptr) return refused(told_name(name) + " does not run");
    machine(name).end(" ends");
    machine(name).start_after(down);
  });
}

void Replicas::set_link(const std::string& name, Link link) { machine(name).set_link(link); }

void Replicas::set_calendar(const std::string& name, Duration ahead) {
  machine(name).set_calendar(ahead);
}

bool Replicas::observes(const std::string& name) const { return env_.flags.of(name).loop.observe; }

std::string Replicas::contends_as(const std::string& name) const {
  const program::Flags& flags = env_.flags.common;
  const bool contends = flags.leader_elect.enabled && !flags.loop.observe;
  const auto found = machines_.find(name);
  const bool like_others = found != machines_.end() && !env_.flags.own.contains(name);
  return contends && like_others ? found->second->identity() : "";
}

const Process* Replicas::process(const std::string& name) const {
  const auto found = machines_.find(name);
  return found == machines_.end() ? nullptr : found->second->process();
}

bool Replicas::is_paused(const std::string& name) const {
  const auto found = machines_.find(name);
  return found != machines_.end() && found->second->is_paused();
}

Duration Replicas::began(const std::string& name) const {
  const auto found = machines_.find(name);
  return found == machines_.end() ? Duration{0} : found->second->began();
}

std::vector<std::string> Replicas::running() const {
  std::vector<std::string> names;
  for (const auto& [name, machine] : machines_) {
    if (machine->process() != nullptr) names.push_back(name);
  }
  return names;
}

std::vector<std::string> Replicas::leaders() const {
  std::vector<std::string> names = running();
  std::erase_if(names,
                [this](const std::string& name) { return !process(name)->leads(env_.time.now()); });
  return names;
}

bool Replicas::leaders_changed() {
  bool any = false;
  for (const auto& [name, machine] : machines_) any = machine->leads_otherwise() || any;
  return any;
}

std::vector<rules::Rules::Leader> Replicas::leading_lives() const {
  std::vector<rules::Rules::Leader> lives;
  for (const std::string& name : leaders()) {
    const Machine& machine = *machines_.at(name);
    lives.push_back({.life = machine.life(),
                     .identity = contends_as(name),
                     .watched_since = machine.watched_since()});
  }
  return lives;
}

const Process* Replicas::spokesman() const {
  if (machines_.size() == 1) return machines_.begin()->second->process();
  const std::vector<std::string> leading = leaders();
  return leading.size() == 1 ? process(leading.front()) : nullptr;
}

bool Replicas::all_run() const {
  return !machines_.empty() && std::ranges::all_of(machines_, [](const auto& entry) {
    return entry.second->process() != nullptr || !entry.second->ever_started();
  });
}

}  // namespace nlc::sim::scenario

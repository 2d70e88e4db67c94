#include "bench/side_by_side/course.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "bench/process_usage.h"
#include "bench/side_by_side/arena.h"
#include "bench/side_by_side/bare_client.h"
#include "bench/side_by_side/supervisor.h"
#include "bench/traffic_meter.h"
#include "runtime/go_duration.h"
#include "tests/real/rig/waiting.h"

namespace nlc::bench {
namespace {

using namespace std::chrono_literals;
using Stopwatch = std::chrono::steady_clock;

using report::milliseconds;
using report::seconds;

template <typename T>
T looked_at(Result<T> usage) {
  if (!usage) throw std::runtime_error(usage.error().path);
  return std::move(*usage);
}

/// Everything that a process has used and sent since it began.
struct Account {
  Duration cpu{0};
  TrafficMeter::Bytes bytes;
  WallTime at{};
};

/// One contender on one arena, and what has been counted of it.
class Match {
 public:
  Match(Brand brand, const std::filesystem::path& program, const Plan& plan,
        const Progress& progress, Outcome& outcome)
      : brand_(brand), program_(program), plan_(plan), progress_(progress), outcome_(outcome) {
    tell("a fresh cluster, " + std::to_string(plan.nodes) + " nodes");
    arena_.emplace(plan);
  }

  /// Alone, with or without the default limits.
  void enter(Limits limits);
  void measure_start();
  void measure_rest();
  void measure_failure();
  void measure_pause();
  void measure_supervised_pause();
  void measure_leader_death();
  void measure_limit();
  void measure_limited_failure();

 private:
  void tell(const std::string& what) { progress_(std::string(name_of(brand_)) + ": " + what); }
  void add(Measure measure) { outcome_.run.push_back(std::move(measure)); }
  Contender start(Election election, Limits limits, const std::string& name) {
    return {brand_, program_, arena_->orders(limits, election), name};
  }
  void leave() {
    contender_.reset();
    traffic_.reset();
  }
  void await_synced(Contender& contender);
  void rest(Duration span);
  Account account();
  void pause_server(const std::string& key, const std::string& what);
  void elect(const std::function<void()>& begin);
  void add_delays(const std::string& key, const std::string& what, const Deaths& deaths);

  const Brand brand_;
  const std::filesystem::path program_;
  const Plan& plan_;
  const Progress& progress_;
  Outcome& outcome_;
  std::optional<Arena> arena_;
  std::optional<Contender> contender_;
  std::optional<Supervisor> supervisor_;
  std::optional<TrafficMeter> traffic_;
  Duration start_up_{0};
  double pods_not_ready_max_s_ = 0;  ///< in the mass failure
  Account started_;
};

void Match::await_synced(Contender& contender) {
  await_or_throw("the readiness of " + std::string(name_of(brand_)), 120s, [&] {
    if (!contender.process().running()) throw std::runtime_error(contender.last_words());
    return contender.synced();
  });
}

void Match::enter(Limits limits) {
  const auto begun = Stopwatch::now();
  contender_.emplace(
      start(Election::Off, limits, limits == Limits::Lifted ? "contender" : "contender-limited"));
  traffic_.emplace(contender_->process().pid(), arena_->server_port());
  await_synced(*contender_);
  start_up_ = Stopwatch::now() - begun;
  started_ = account();
  rest(plan_.settle);
}

void Match::rest(Duration span) {
  const bool lives = real::stays(
      span,
      [this] {
        if (traffic_) traffic_->sample();
        if (supervisor_) supervisor_->look();
        return !contender_ || contender_->process().running();
      },
      500ms);
  if (!lives) throw std::runtime_error("it ended: " + contender_->last_words());
}

Account Match::account() {
  traffic_->sample();
  return {.cpu = looked_at(cpu_usage(contender_->process().pid())).total,
          .bytes = traffic_->total(),
          .at = real::wall_now()};
}

void Match::measure_start() {
  const MemoryUsage memory = looked_at(memory_usage(contender_->process().pid()));
  add({"start_ms", "start until all lists are read", "ms", milliseconds(start_up_), 0});
  add({"start_cpu_ms", "CPU until then", "ms", milliseconds(started_.cpu), 0});
  add({"start_received_mib", "received until then", "MiB", mebibytes(started_.bytes.received), 1});
  add({"start_peak_mib", "resident memory, peak of the start", "MiB",
       mebibytes(memory.resident_peak), 1});
}

void Match::measure_rest() {
  tell("at rest for " + go_duration(plan_.window));
  const double renewals_before = arena_->renewals();
  const Account before = account();
  rest(plan_.window);
  const Account after = account();
  const double renewals = arena_->renewals() - renewals_before;
  const MemoryUsage memory = looked_at(memory_usage(contender_->process().pid()));
  const double cpu = milliseconds(after.cpu - before.cpu);
  const double span = seconds(after.at - before.at);
  const auto received = static_cast<double>(after.bytes.received - before.bytes.received);
  const auto sent = static_cast<double>(after.bytes.sent - before.bytes.sent);
  add({"renewals_per_second", "lease renewals", "1/s", renewals / span, 0});
  add({"cpu_per_renewal_us", "CPU per renewal, pass included", "µs", cpu * 1000 / renewals, 1});
  add({"cpu_core_percent", "of one core", "%", cpu / span / 10, 2});
  add({"resident_mib", "resident memory (VmRSS)", "MiB", mebibytes(memory.resident), 1});
  add({"anonymous_mib", "of that, heap and stacks (RssAnon)", "MiB", mebibytes(memory.anonymous),
       1});
  add({"requests_per_second", "requests caused", "1/s",
       arena_->requests_between(before.at, after.at) / span, 2});
  add({"received_kib_per_second", "received", "KiB/s", received / span / 1024, 1});
  add({"sent_kib_per_second", "sent", "KiB/s", sent / span / 1024, 2});
}

void Match::add_delays(const std::string& key, const std::string& what, const Deaths& deaths) {
  const auto add_one = [&](const std::string& name, const std::string& title, double share) {
    add({key + "_" + name, what + ": grace over → Unknown, " + title, "s",
         percentile(deaths.unknown, share) / 1000, 2});
  };
  add_one("unknown_p50_s", "p50", 0.5);
  add_one("unknown_p99_s", "p99", 0.99);
  add_one("unknown_max_s", "max", 1);
  add({key + "_unknown", what + ": called Unknown", "", static_cast<double>(deaths.unknown.size()),
       0});
  outcome_.delays.push_back({what, deaths.unknown});
}

void Match::measure_failure() {
  const std::string what = std::to_string(plan_.die) + " of " + std::to_string(plan_.nodes);
  tell(what + " die");
  const Account before = account();
  arena_->cut_power();
  rest(plan_.failure_span);
  const Account after = account();
  const Deaths deaths = arena_->give_power_back();
  add_delays("failure", what, deaths);
  const auto count = [&](const std::string& key, const std::string& title,
                         const std::vector<double>& of) {
    add({key, what + ": " + title, "", static_cast<double>(of.size()), 0});
  };
  count("failure_no_schedule", "tainted NoSchedule", deaths.no_schedule);
  add({"failure_no_schedule_max_s", what + ": … → NoSchedule, max", "s",
       percentile(deaths.no_schedule, 1) / 1000, 2});
  count("failure_pods_not_ready", "all pods NotReady", deaths.pods_not_ready);
  pods_not_ready_max_s_ = percentile(deaths.pods_not_ready, 1) / 1000;
  add({"failure_pods_not_ready_max_s", what + ": … → its pods NotReady, max", "s",
       pods_not_ready_max_s_, 2});
  add({"failure_condemned", what + ": healthy nodes called Unknown", "",
       static_cast<double>(arena_->take_condemned()), 0});
  add({"failure_cpu_s", what + ": CPU within " + go_duration(plan_.failure_span), "s",
       seconds(after.cpu - before.cpu), 2});
  add({"failure_requests", what + ": requests", "", arena_->requests_between(before.at, after.at),
       0});
  add({"failure_peak_mib", what + ": resident memory, peak since the start", "MiB",
       mebibytes(looked_at(memory_usage(contender_->process().pid())).resident_peak), 1});
  rest(plan_.recovery);
}

/// Some die as it stops: a controller that condemns nobody then may be late for them.
void Match::pause_server(const std::string& key, const std::string& what) {
  tell(what);
  arena_->take_condemned();
  arena_->cut_power();
  arena_->pause_server();
  rest(plan_.pause);
  arena_->resume_server();
  rest(plan_.failure_span);
  add({key + "_condemned", what + ": healthy nodes called Unknown", "",
       static_cast<double>(arena_->take_condemned()), 0});
  add_delays(key, what, arena_->give_power_back());
  rest(plan_.recovery);
}

void Match::measure_pause() {
  if (plan_.pause == 0s) return;
  pause_server("pause", "server paused " + go_duration(plan_.pause));
}

void Match::measure_supervised_pause() {
  if (plan_.pause == 0s) return;
  const std::string what = "server paused " + go_duration(plan_.pause) + ", election";
  leave();
  elect([this] {
    supervisor_.emplace(
        [this](const std::string& name) { return start(Election::On, Limits::Lifted, name); },
        "supervised");
  });
  await_synced(supervisor_->contender());
  rest(plan_.settle);
  pause_server("supervised_pause", what);
  add({"supervised_pause_restarts", what + ": ended and was started again", "",
       static_cast<double>(supervisor_->restarts()), 0});
  supervisor_.reset();
}

/// Returns once somebody leads that `begin` has started.
void Match::elect(const std::function<void()>& begin) {
  const std::string before = arena_->leader_of(brand_);
  begin();
  await_or_throw("a leader", 60s, [&] {
    const std::string leader = arena_->leader_of(brand_);
    return !leader.empty() && leader != before;
  });
}

void Match::measure_leader_death() {
  if (!plan_.leader_dies) return;
  tell(std::to_string(plan_.die) + " die, and the leader with them");
  leave();
  std::optional<Contender> leader;
  elect([&] { leader.emplace(start(Election::On, Limits::Lifted, "leader")); });
  await_synced(*leader);
  contender_.emplace(start(Election::On, Limits::Lifted, "standby"));
  if (brand_ == Brand::Ours) await_synced(*contender_);  // theirs reads nothing before it leads
  rest(plan_.settle);
  arena_->cut_power();
  leader->process().kill();
  rest(plan_.failure_span);
  add_delays("leader", std::to_string(plan_.die) + " and the leader", arena_->give_power_back());
  rest(plan_.recovery);
}

/// The machines die once more, for a kubelet that lives would write against it; no controller is
/// there.
void Match::measure_limit() {
  if (plan_.pods_per_node == 0) return;
  tell("the same pods NotReady by an unthrottled client");
  leave();
  BareClient bare(arena_->orders(Limits::Lifted, Election::Off).kubeconfig);
  std::vector<api::Pod> pods;
  await_or_throw("pods that are Ready again", 120s, [&] {
    pods = bare.pods_on(arena_->victims());
    return !pods.empty() && std::ranges::all_of(pods, [](const api::Pod& pod) {
      return pod.ready && pod.ready->status == api::ConditionStatus::True;
    });
  });
  arena_->cut_power();
  rest(1s);
  const BareClient::Limit limit = bare.fastest_not_ready(pods);
  add({"limit_pods_not_ready_s", "limit: unthrottled client, the same pods NotReady", "s",
       seconds(limit.took), 2});
  add({"limit_pods", "limit: pods", "", static_cast<double>(pods.size()), 0});
  add({"limit_in_flight", "limit: requests in flight", "", static_cast<double>(limit.in_flight),
       0});
  add({"failure_over_limit", "its pods NotReady, max ÷ limit", "×",
       pods_not_ready_max_s_ / seconds(limit.took), 2});
}

void Match::measure_limited_failure() {
  tell(std::to_string(plan_.die) + " die, client limits as shipped");
  arena_->cut_power();
  rest(plan_.limited_span);
  add_delays("limited",
             std::to_string(plan_.die) + " of " + std::to_string(plan_.nodes) +
                 ", client limits as shipped",
             arena_->give_power_back());
}

}  // namespace

Outcome run_course(Brand brand, const std::filesystem::path& program, const Plan& plan,
                   const Progress& progress) {
  Outcome outcome;
  {
    Match match(brand, program, plan, progress, outcome);
    match.enter(Limits::Lifted);
    match.measure_start();
    match.measure_rest();
    match.measure_failure();
    match.measure_pause();
    match.measure_supervised_pause();
    match.measure_leader_death();
    match.measure_limit();
  }
  if (plan.limited_span > 0s) {
    Match match(brand, program, plan, progress, outcome);
    match.enter(Limits::Default);
    match.measure_limited_failure();
  }
  return outcome;
}

}  // namespace nlc::bench

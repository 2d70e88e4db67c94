#include <algorithm>
#include <functional>

#include "tests/election/cases/election_case.h"
#include "tests/election/election_world.h"
#include "tests/election/rivalry.h"

/// Cases that tell a story in time: electors against an embedded server.
namespace nlc::election::testing {
namespace {

struct Story {
  explicit Story(const ElectionCase& one) : inputs(one.inputs), expected(one.expected) {
    options.lease_duration = duration_or(inputs["L"], 15s);
    options.renew_deadline = duration_or(inputs["D"], 10s);
    options.retry_period = duration_or(inputs["P"], 2s);
  }

  Contender& join(const std::string& name, std::uint64_t seed = 1) {
    contenders.push_back(std::make_unique<Contender>(world, name, seed, options));
    return *contenders.back();
  }
  std::size_t leaders() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(contenders, [](const auto& one) { return one->may_write(); }));
  }
  /// When the condition came to hold, counted from now; nothing if it did not.
  std::optional<Duration> time_until(const std::function<bool()>& holds, Duration limit) {
    const Instant began = world.time.now();
    for (Duration passed{0}; passed <= limit; passed += 1ms) {
      if (holds()) return world.time.now() - began;
      world.time.run_for(1ms);
    }
    return std::nullopt;
  }
  void demand(bool holds, const std::string& what) {
    if (!holds) differences.push_back(what);
  }

  const yaml::Value inputs;
  const yaml::Value expected;
  ElectionOptions options;
  ElectionWorld world;
  std::vector<std::unique_ptr<Contender>> contenders;
  Differences differences;
};

std::uint64_t count_of(const yaml::Value& node) { return yaml::json_of(node); }

/// What a leader asks of a server that keeps what it is told.
void requests_of_a_leadership(Story& story) {
  Contender& baz = story.join("baz");
  const std::ptrdiff_t updates = yaml::json_of(story.inputs["cancelAtUpdate"]);
  if (const yaml::Value& at = story.inputs["conflictAtUpdate"]; at.is_defined()) {
    story.world.time.run_for(story.options.retry_period * (yaml::json_of(at).get<int>() - 1) +
                             100ms);
    story.world.server.faults().add(
        FaultRule::answering({.verb = "update", .user_agent = "baz"},
                             sim::status_answer(409, "Conflict", "the object has been modified"))
            .at_most(1));
  }
  std::vector<std::string> requests;
  (void)story.time_until(
      [&] {
        requests.clear();
        for (const std::string& request : story.world.requests) {
          requests.push_back(request.substr(request.find(' ') + 1));
        }
        return std::ranges::count(requests, "update") == updates;
      },
      1min);
  baz.elector.reset();
  compare(story.differences, "requests", shown(requests), shown(story.expected["requests"]));
}

void times_of_renewals(Story& story) {
  story.world.fault("baz", "update", FaultAction::DelayResponse,
                    duration_of(story.inputs["answerDelay"]));
  story.join("baz");
  story.world.time.run_for(20s);
  const std::vector<Instant>& times = story.world.times;
  for (std::size_t i = 1; i < story.expected["sendTimes"].list.size(); ++i) {
    const Duration wanted = duration_of(story.expected["sendTimes"].list[i]) -
                            duration_of(story.expected["sendTimes"].list[i - 1]);
    story.demand(times.at(i + 2) - times.at(i + 1) == wanted, "renewals are otherwise apart");
  }
}

/// Cut off after a renewal whose answer came late: when the leadership ends, counted from its
/// commit.
void cut_off(Story& story, Duration late) {
  Contender& a = story.join("a");
  story.world.time.run_for(1s);
  story.world.take_requests();
  story.world.fault("a", "update", FaultAction::DelayResponse, late, 1);
  story.world.fault("a", "", FaultAction::Hang);
  (void)story.time_until([&] { return !story.world.times.empty(); }, 10s);
  const Instant commit = story.world.times.front();
  (void)story.time_until([&] { return a.lock_writes > 1 || !a.may_write(); }, 20s);
  (void)story.time_until([&] { return !a.may_write(); }, 20s);
  const Duration stopped = story.world.time.now() - commit;
  if (const yaml::Value& at = story.expected["stoppedAt"]; at.is_defined()) {
    story.demand(stopped >= duration_of(at) && stopped <= duration_of(at) + 10ms,
                 "stopped at another moment");
  }
  if (const yaml::Value& before = story.expected["stoppedBefore"]; before.is_defined()) {
    story.demand(stopped < duration_of(before), "stopped too late");
  }
}

void cut_off_plainly(Story& story) { cut_off(story, duration_of(story.inputs["answerDelay"])); }
void cut_off_after_a_late_answer(Story& story) {
  cut_off(story, duration_of(story.inputs["lastRenewal"]["answerAt"]));
}

void stopped_before_leading(Story& story) {
  Contender& baz = story.join("baz");
  baz.stop();
  story.world.time.run_for(1min);
  story.demand(baz.stopped_at.has_value(), "the stop was not confirmed");
  if (story.inputs["cancelAt"].is_defined())
    story.demand(story.world.requests.empty(), "requests were sent");
  const bool called = !baz.told.empty() && !baz.told.back();
  story.demand(called, "no stop callback");
}

void events_of_a_leadership(Story& story) {
  story.options.event_component = "test";
  Contender& baz = story.join("baz");
  story.world.time.run_for(story.options.retry_period + 2500us);  // in the middle of a renewal
  baz.stop();
  story.world.time.run_for(10s);
  const Json events = story.world.get("/api/v1/namespaces/kube-system/events").json()["items"];
  std::vector<std::string> told;
  for (const Json& event : events) {
    told.push_back(event["type"].get<std::string>() + " " + event["reason"].get<std::string>() +
                   " " + event["message"].get<std::string>());
  }
  compare(story.differences, "events", shown(told), shown(story.expected["events"]));
}

/// Somebody else writes each holder in turn; "baz" is what the candidate itself becomes.
void observed_holders(Story& story) {
  Contender* baz = nullptr;
  for (const yaml::Value& entry : story.inputs["observedHolders"].list) {
    const std::string holder = entry.text;
    const bool exists = story.world.get(lock_path).status() == 200;
    if (!exists) {
      story.world.create_lock(holder);
    } else if (holder == "baz") {
      story.world.time.run_for(20s);  // the last one does not renew
    } else {
      story.world.seize(holder);
    }
    if (baz == nullptr) baz = &story.join("baz");
    story.world.time.run_for(100ms);
    if (holder.empty()) break;
  }
  const yaml::Value& wanted = story.expected["order"].is_defined()
                                  ? story.expected["order"]
                                  : story.expected["newLeaderCallbacks"];
  std::vector<std::string> told = baz->leaders;
  told.resize(std::min(told.size(), wanted.list.size()));
  compare(story.differences, "new leaders", shown(told), shown(wanted));
}

/// The first moment at which it holds, looked for in steps of a millisecond.
Instant moment_when(ElectionWorld& world, const std::function<bool()>& holds) {
  const Instant limit = world.time.now() + 2min;
  while (!holds() && world.time.now() < limit) world.time.run_for(1ms);
  return world.time.now();
}

/// A crash right after a renewal of a: how long after it b leads.
Duration takeover(const ElectionOptions& options, std::uint64_t seed) {
  ElectionWorld world;
  Contender a(world, "a", seed, options);
  world.time.run_for(1s);
  Contender b(world, "b", seed + 1000, options);
  world.time.run_for(20s);
  world.take_requests();
  const Instant commit =
      moment_when(world, [&] { return std::ranges::count(world.requests, "a update") > 0; });
  a.elector.reset();
  return moment_when(world, [&] { return b.may_write(); }) - commit;
}

void takeovers_after_a_crash(Story& story) {
  const yaml::Value& wanted = story.expected;
  for (std::uint64_t run = 0; run < count_of(story.inputs["runs"]); ++run) {
    const Duration taken = takeover(story.options, run);
    story.demand(taken >= duration_of(wanted["min"]), "too early");
    story.demand(taken <= duration_of(wanted["max"]), "too late");
  }
}

void takeover_of_a_release(Story& story) {
  Contender& a = story.join("a");
  story.world.time.run_for(1s);
  Contender& b = story.join("b", 2);
  story.world.time.run_for(10s);
  a.stop();
  const auto taken = story.time_until([&] { return b.may_write(); }, 5s);
  story.demand(taken && *taken < duration_of(story.expected["takeoverBefore"]), "too late");
}

// --- release ------------------------------------------------------------------------------------

void release_after_a_failed_read(Story& story) {
  story.world.fault("a", "watch", FaultAction::Hang);  // it would save the read
  Contender& a = story.join("a");
  story.world.time.run_for(1s);
  story.world.touch();
  story.world.fault("a", "get", FaultAction::Drop, {}, 1);
  story.world.time.run_for(3s);
  a.stop();
  story.world.time.run_for(1s);
  story.demand(story.world.lock().holder.empty(), "not released");
}

void release_during_a_read(Story& story) {
  story.world.fault("a", "watch", FaultAction::Hang);
  Contender& a = story.join("a");
  story.world.time.run_for(1s);
  story.world.touch();
  story.world.fault("a", "update", FaultAction::LoseResponse, {}, 1);
  story.world.fault("a", "get", FaultAction::DelayResponse, 3s, 1);
  (void)story.time_until([&] { return story.world.requests.back() == "a get"; }, 10s);
  a.stop();
  story.world.time.run_for(5s);
  story.demand(story.world.lock().holder.empty(), "not released");
}

void release_passes_validation(Story& story) {
  Contender& a = story.join("a");
  story.world.time.run_for(1s);
  a.stop();
  story.world.time.run_for(1s);
  story.demand(story.world.lock().holder.empty(), "not released");
  story.demand(story.world.lock().duration_seconds == 1, "another duration than 1");
}

// --- safety -------------------------------------------------------------------------------------

void another_holder_is_read(Story& story) {
  Contender& a = story.join("a");
  story.world.time.run_for(3s);
  story.world.seize("qux");
  const auto stopped = story.time_until([&] { return !a.may_write(); }, 5s);
  story.demand(stopped && *stopped <= duration_of(story.expected["stoppedWithin"]), "too late");
}

/// A process that is stopped feels nothing; on waking, its pending writes meet the gate first.
void woken_after_a_pause(Story& story) {
  Contender& a = story.join("a");
  story.world.time.run_for(duration_of(story.inputs["pause"]["from"]));
  const Instant woken = story.world.time.now() + duration_of(story.inputs["pause"]["to"]) -
                        duration_of(story.inputs["pause"]["from"]);
  story.demand(a.may_write(), "it did not lead before");
  story.demand(!a.gate.is_open(woken), "a write would leave");
}

void suspended_machine(Story& story) {
  Contender& a = story.join("a");
  story.world.time.run_for(1s);
  const Instant woken =
      story.world.time.now() + duration_of(story.inputs["clocks"]["boottimeJump"]);
  story.demand(!a.gate.is_open(woken), "the gate is open after the suspend");
}

void wall_clock_steps(Story& story) {
  Contender& a = story.join("a");
  Contender& b = story.join("b", 2);
  story.world.time.run_for(5s);
  for (const yaml::Value& step : story.inputs["wallClockSteps"].list) {
    story.world.time.step_wall_clock(duration_of(step));
    story.world.time.run_for(1min);
  }
  story.demand(a.told.size() + b.told.size() == 1, "the leader changed");
}

/// What was sent on the old connection is never answered; the next one works.
void dead_connection(Story& story) {
  Contender& a = story.join("a");
  Contender& b = story.join("b", 2);
  story.world.time.run_for(5s);
  for (const auto& one : story.contenders)
    story.world.fault(one->identity, "update", FaultAction::Hang, {}, 1);
  story.world.time.run_for(1min);
  story.demand(a.told.size() + b.told.size() == 1, "the leader changed");
}

void server_that_hangs(Story& story) {
  Contender& a = story.join("a");
  story.world.time.run_for(3s);
  story.world.fault("a", "", FaultAction::Hang);
  const auto stopped = story.time_until([&] { return !a.may_write(); }, 1min);
  story.demand(stopped && *stopped < duration_of(story.expected["stoppedBefore"]), "too late");
}

void many_candidates(Story& story) {
  for (std::uint64_t i = 0; i < count_of(story.inputs["candidates"]); ++i) {
    story.join("c" + std::to_string(i), i);
  }
  story.world.time.run_for(10s);
  story.world.take_requests();
  story.world.time.run_for(5s);
  compare(story.differences, "leaders", std::to_string(story.leaders()),
          shown(story.expected["leaders"]));
  story.demand(story.world.requests.size() < 5 * count_of(story.expected["requestsPerSecondBelow"]),
               "too many requests");
}

/// One step of a migration: candidates of neighbouring kinds, each of them cut off in turn.
void migration(Story& story) {
  for (const char* step : {"candidates", "then"}) {
    ElectionWorld world;
    std::vector<std::unique_ptr<Contender>> all;
    for (const yaml::Value& one : story.inputs[step].list) {
      ElectionOptions options = story.options;
      options.lock = *lock_kind(one["kind"].text);
      all.push_back(std::make_unique<Contender>(world, one["id"].text, all.size(), options));
    }
    bool two = false;
    for (const auto& cut : all) {
      cut->link.set_link(Link::Silent);
      world.watch_for(40s, 20ms, [&] {
        two = two || std::ranges::count_if(all, [](const auto& c) { return c->may_write(); }) > 1;
      });
      cut->link.set_link(Link::Up);
      world.time.run_for(10s);
    }
    story.demand(!two, "two leaders");
  }
}

/// A hundredth of the case's runs; RivalsByLot has the rest.
void runs_by_lot(Story& story) {
  for (std::uint64_t seed = 0; seed < count_of(story.inputs["seeds"]) / 100; ++seed) {
    story.demand(!Rivalry<Contender>(seed).run().two_might_write,
                 "two might write, seed " + std::to_string(seed));
  }
}

using Tell = void (*)(Story&);

/// By the input that makes the shape.
const std::vector<std::pair<std::string, Tell>>& tellers() {
  static const std::vector<std::pair<std::string, Tell>> all{
      {"cancelAtUpdate", requests_of_a_leadership},
      {"lastCommit", cut_off_plainly},
      {"lastRenewal", cut_off_after_a_late_answer},
      {"answerDelay", times_of_renewals},
      {"cancelBeforeLeading", stopped_before_leading},
      {"cancelAt", stopped_before_leading},
      {"releaseOnCancel", events_of_a_leadership},
      {"observedHolders", observed_holders},
      {"runs", takeovers_after_a_crash},
      {"releaseAt", takeover_of_a_release},
      {"lastGet", release_after_a_failed_read},
      {"cancelDuring", release_during_a_read},
      {"server", release_passes_validation},
      {"leading", another_holder_is_read},
      {"pause", woken_after_a_pause},
      {"clocks", suspended_machine},
      {"wallClockSteps", wall_clock_steps},
      {"connectionBlackholedAt", dead_connection},
      {"serverHangsFrom", server_that_hangs},
      {"then", migration},
      {"seeds", runs_by_lot},
      {"candidates", many_candidates}};
  return all;
}

}  // namespace

Differences run_story(const ElectionCase& one) {
  for (const auto& [input, tell] : tellers()) {
    if (!one.inputs[input].is_defined()) continue;
    Story story(one);
    tell(story);
    return story.differences;
  }
  return {"nobody knows this shape"};
}

}  // namespace nlc::election::testing

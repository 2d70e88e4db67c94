#include <algorithm>

#include "election/election_machine.h"
#include "election/lock.h"
#include "sim/virtual_time.h"
#include "tests/election/election_case.h"
#include "tests/election/scripted_server.h"

/// Cases that script the server's replies: one candidate's machine and lock, moved by hand.
namespace nlc::election::testing {
namespace {

using namespace std::chrono_literals;

bool speaks_of_pairs(const YAML::Node& replies) {
  return std::ranges::any_of(replies, [](const YAML::Node& entry) {
    const std::string operation = entry.begin()->first.as<std::string>();
    return operation.ends_with("P") || operation.ends_with("S");
  });
}

ElectionOptions with_lock(ElectionOptions options, bool paired) {
  if (paired) options.lock = LockKind::EndpointsLeases;
  return options;
}

/// What an elector does, one try at a time.
class Rig {
 public:
  explicit Rig(const YAML::Node& inputs)
      : paired_(speaks_of_pairs(inputs["api"])),
        options_(with_lock(options_of(inputs), paired_)),
        server_(time_),
        machine_(options_, Random(1)),
        lock_({server_, time_}, options_, options_.renew_deadline / 3) {
    server_.paired = paired_;
  }

  ScriptedServer& server() { return server_; }
  const ElectionMachine& machine() const { return machine_; }
  const LockRecord& record() const { return record_; }
  const std::vector<std::string>& leaders() const { return leaders_; }
  /// Meanwhile a candidate polls as ever, and finds the same.
  void advance(Duration span) {
    const Duration poll = 3 * options_.retry_period;
    for (; span > poll && looked_; span -= poll) {
      time_.run_for(poll);
      (void)machine_.look(time_.now());
      const ElectionStep next = machine_.on_read(*looked_, time_.now(), wall());
      const bool claims =
          std::holds_alternative<WriteLock>(next) || std::holds_alternative<CreateLock>(next);
      if (claims) (void)machine_.withhold(time_.now());
    }
    time_.run_for(span);
  }
  bool leads() const { return machine_.leads(time_.now()); }

  /// Whether it ended with an acknowledged claim.
  bool attempt() {
    const bool first = std::exchange(first_, false);
    return go(first ? machine_.look(time_.now()) : machine_.wake(time_.now(), wall()));
  }
  bool attempt_with_a_look() { return go(machine_.look(time_.now())); }

  /// Whether the lock was given back, or there was nothing to give.
  bool release() {
    const bool had = leads();
    const auto step = machine_.stop();
    return step && (go(*step) || !had);
  }

  /// The candidate holds the lock: the record is what it wrote, in the moment in which the scripted
  /// records were acquired.
  void lead(const YAML::Node& observed, int transitions) {
    if (transitions > 0) {
      YAML::Node before;
      before["h"] = "";
      before["tr"] = transitions - 1;
      server_.add("get", reply_with(before));
      server_.add("update", YAML::Node("ok"));
    } else {
      server_.add(paired_ ? "getP" : "get", YAML::Node("404"));
      server_.add(paired_ ? "createP" : "create", YAML::Node("ok"));
      if (paired_) server_.add("createS", YAML::Node("ok"));
    }
    attempt();
    pass_since(observed);
  }

  /// The candidate has seen this record already.
  void remember(const YAML::Node& observed) {
    const YAML::Node record = observed["record"];
    const bool both = !observed["raw"] || observed["raw"].as<std::string>() == "both";
    server_.add(paired_ ? "getP" : "get", reply_with(record));
    if (paired_) server_.add("getS", both ? reply_with(record) : YAML::Node("404"));
    attempt();
    pass_since(observed);
  }

 private:
  void pass_since(const YAML::Node& observed) {
    const Duration ago = -duration_or(observed["time"], 0s);
    if (ago > 0s) advance(ago);
    server_.take_requests();
    leaders_.clear();
    told_.clear();
  }
  static YAML::Node reply_with(const YAML::Node& record) {
    YAML::Node reply;
    reply["record"] = record ? record : YAML::Node(YAML::NodeType::Map);
    return reply;
  }
  WallTime wall() const { return time_.wall_now(); }

  bool go(ElectionStep step) {
    bool taken = false;
    while (true) {
      if (std::holds_alternative<Pause>(step) || std::holds_alternative<Finished>(step)) break;
      const bool reads = std::holds_alternative<ReadLock>(step);
      const Instant sent = time_.now();
      Result<LockRecord> answer = perform(step);
      if (answer) record_ = *answer;
      if (answer) looked_ = *answer;
      taken = !reads && answer;
      step = reads ? machine_.on_read(std::move(answer), time_.now(), wall())
                   : machine_.on_written(std::move(answer), sent, time_.now());
      note();
    }
    return taken;
  }

  Result<LockRecord> perform(const ElectionStep& step) {
    Result<LockRecord> result = Error{Fault::Timeout, "no answer"};
    const auto keep = [&result](Result<LockRecord> answer) { result = std::move(answer); };
    if (std::holds_alternative<ReadLock>(step)) lock_.read(keep);
    if (const auto* create = std::get_if<CreateLock>(&step)) lock_.create(create->record, keep);
    if (const auto* write = std::get_if<WriteLock>(&step)) lock_.write(write->record, keep);
    time_.run_ready();
    return result;
  }

  void note() {
    if (machine_.holder() == told_) return;
    told_ = machine_.holder();
    leaders_.push_back(told_);
  }

  const bool paired_;
  const ElectionOptions options_;
  sim::VirtualTime time_{*parse_rfc3339("2026-01-02T03:04:05Z")};
  ScriptedServer server_;
  ElectionMachine machine_;
  Lock lock_;
  bool first_ = true;
  LockRecord record_;
  std::optional<LockRecord> looked_;  ///< what is there, as far as it knows
  std::string told_;
  std::vector<std::string> leaders_;
};

std::string listed(const std::vector<std::string>& words) { return shown(YAML::Node(words)); }

std::string word(bool value) { return value ? "true" : "false"; }

void compare_written(Differences& differences, const YAML::Node& wanted, const LockRecord& ours) {
  know_all(differences, wanted,
           {"h", "d", "tr", "acquireTimeEqualsRenewTime", "strategy", "preferredHolder"});
  const auto value = [&](const char* key, const std::string& have) {
    if (!wanted[key]) return;
    compare(differences, std::string("written ") + key, have.empty() ? "absent" : have,
            wanted[key].as<std::string>().empty() ? "absent" : wanted[key].as<std::string>());
  };
  value("h", ours.holder);
  value("d", std::to_string(ours.duration_seconds.value_or(0)));
  value("tr", std::to_string(ours.transitions));
  value("strategy", ours.strategy);
  value("preferredHolder", ours.preferred_holder);
  value("acquireTimeEqualsRenewTime", word(ours.acquired == ours.renewed));
}

void compare_end(Differences& differences, const YAML::Node& wanted, Rig& rig) {
  const auto value = [&](const char* key, const std::string& have) {
    if (wanted[key]) compare(differences, key, have, wanted[key].as<std::string>());
  };
  const std::vector<std::string>& requests = rig.server().requests;
  if (wanted["requests"]) {
    compare(differences, "requests", listed(requests), shown(wanted["requests"]));
  }
  value("holder", rig.machine().holder());
  value("transitions", std::to_string(rig.record().transitions));
  value("updates", std::to_string(std::ranges::count(requests, "update")));
  if (wanted["newLeaderCallbacks"]) {
    compare(differences, "newLeaderCallbacks", listed(rig.leaders()),
            shown(wanted["newLeaderCallbacks"]));
  }
  if (wanted["acquireTime"]) {
    const bool unchanged = rig.record().acquired == parse_rfc3339("2026-01-02T03:04:05Z");
    compare(differences, "acquireTime", unchanged ? "unchanged" : "changed",
            wanted["acquireTime"].as<std::string>());
  }
  if (wanted["written"]) {
    const auto& written = rig.server().written;
    compare_written(differences, wanted["written"],
                    written.empty() ? LockRecord{} : written.back());
  }
}

const std::vector<std::string> known_ends{"requests",           "holder",  "transitions", "updates",
                                          "newLeaderCallbacks", "written", "acquireTime"};

std::vector<std::string> with(std::vector<std::string> words, std::vector<std::string> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The candidate wrote what it has observed.
bool is_own(const YAML::Node& observed, const YAML::Node& inputs) {
  if (!observed || !observed["record"] || !observed["record"]["h"]) return false;
  return observed["record"]["h"].as<std::string>() == options_of(inputs).identity;
}

/// As the case's server shows it first, for a case need not repeat it in what was observed.
int transitions_of_leadership(const YAML::Node& inputs) {
  for (const YAML::Node& entry : inputs["api"]) {
    const YAML::Node reply = entry.begin()->second;
    if (!reply.IsMap() || !reply["record"] || !reply["record"]["tr"]) continue;
    return reply["record"]["tr"].as<int>();
  }
  return 0;
}

std::vector<std::string> run_steps(Rig& rig, const YAML::Node& steps, std::string& second_holder) {
  std::vector<std::string> results;
  for (const YAML::Node& step : steps) {
    if (step.IsMap()) {
      rig.advance(duration_of(step["advance"]));
      continue;
    }
    const bool looks = step.as<std::string>() == "tryWithFastPathDisabled";
    results.push_back(word(looks ? rig.attempt_with_a_look() : rig.attempt()));
    if (results.size() == 2) second_holder = rig.machine().holder();
  }
  return results;
}

}  // namespace

Differences run_script(const ElectionCase& one) {
  if (one.inputs["candidates"]) return run_story(one);
  Differences differences;
  know_all(differences, one.inputs,
           {"L", "D", "P", "self", "observed", "api", "steps", "cachedObject"});
  know_all(differences, one.expected,
           with(known_ends, {"result", "results", "holderAfterSecondTry"}));
  if (!differences.empty()) return differences;
  Rig rig(one.inputs);
  const YAML::Node observed = one.inputs["observed"];
  const YAML::Node cached = one.inputs["cachedObject"];
  const bool as_leader = is_own(observed, one.inputs);
  if (as_leader) rig.lead(observed, transitions_of_leadership(one.inputs));
  if (!as_leader && observed && observed["record"]) rig.remember(observed);
  // Who has a record and no object to write it into has to look first, as in coordinated elections.
  const bool looks_first = as_leader && !(cached && cached.as<std::string>() == "present");
  rig.server().script(one.inputs["api"]);
  const bool one_try = !one.inputs["steps"].IsDefined();
  const YAML::Node one_step = YAML::Load(looks_first ? "[tryWithFastPathDisabled]" : "[try]");
  const YAML::Node steps = one_try ? one_step : one.inputs["steps"];
  std::string second_holder;
  const std::vector<std::string> results = run_steps(rig, steps, second_holder);
  if (one.expected["result"]) {
    compare(differences, "result", results.back(), shown(one.expected["result"]));
  }
  if (one.expected["results"]) {
    compare(differences, "results", listed(results), shown(one.expected["results"]));
  }
  if (one.expected["holderAfterSecondTry"]) {
    compare(differences, "holder after the second try", second_holder,
            one.expected["holderAfterSecondTry"].as<std::string>());
  }
  compare_end(differences, one.expected, rig);
  return differences;
}

Differences run_release(const ElectionCase& one) {
  if (!one.inputs["api"]) return run_story(one);
  Differences differences;
  know_all(differences, one.inputs, {"L", "D", "P", "self", "observed", "api"});
  know_all(differences, one.expected, with(known_ends, {"result"}));
  if (!differences.empty()) return differences;
  Rig rig(one.inputs);
  const bool unsaid = !one.inputs["observed"].IsDefined();
  const YAML::Node observed =
      unsaid ? YAML::Load("{record: {h: baz, d: 10}}") : one.inputs["observed"];
  if (is_own(observed, one.inputs)) {
    rig.lead(observed, transitions_of_leadership(one.inputs));
  } else {
    rig.remember(observed);
  }
  rig.server().script(one.inputs["api"]);
  const bool released = rig.release();
  if (one.expected["result"]) {
    compare(differences, "result", word(released), shown(one.expected["result"]));
  }
  compare_end(differences, one.expected, rig);
  return differences;
}

}  // namespace nlc::election::testing

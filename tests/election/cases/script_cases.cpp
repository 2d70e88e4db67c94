#include <algorithm>

#include "election/election_machine.h"
#include "election/lock/lock.h"
#include "sim/virtual_time.h"
#include "tests/election/cases/election_case.h"
#include "tests/election/cases/scripted_server.h"

/// Cases that script the server's replies: one candidate's machine and lock, moved by hand.
namespace nlc::election::testing {
namespace {

using namespace std::chrono_literals;

bool speaks_of_pairs(const yaml::Value& replies) {
  return std::ranges::any_of(replies.list, [](const yaml::Value& entry) {
    const std::string& operation = entry.map.at(0).key;
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
  explicit Rig(const yaml::Value& inputs)
      : paired_(speaks_of_pairs(inputs["api"])),
        options_(with_lock(options_of(inputs), paired_)),
        server_(time_),
        machine_(options_, Random(1)),
        lock_({server_, time_}, options_) {
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
  void lead(const yaml::Value& observed, int transitions) {
    if (transitions > 0) {
      const std::string before = std::to_string(transitions - 1);
      server_.add("get", yaml::read("record: {h: '', tr: " + before + "}"));
      server_.add("update", yaml::read("ok"));
    } else {
      server_.add(paired_ ? "getP" : "get", yaml::read("'404'"));
      server_.add(paired_ ? "createP" : "create", yaml::read("ok"));
      if (paired_) server_.add("createS", yaml::read("ok"));
    }
    attempt();
    pass_since(observed);
  }

  /// The candidate has seen this record already.
  void remember(const yaml::Value& observed) {
    const yaml::Value& record = observed["record"];
    const std::string& raw = observed["raw"].text;
    const bool both = raw.empty() || raw == "both";
    server_.add(paired_ ? "getP" : "get", reply_with(record));
    if (paired_) server_.add("getS", both ? reply_with(record) : yaml::read("'404'"));
    attempt();
    pass_since(observed);
  }

 private:
  void pass_since(const yaml::Value& observed) {
    const Duration ago = -duration_or(observed["time"], 0s);
    if (ago > 0s) advance(ago);
    server_.take_requests();
    leaders_.clear();
    told_.clear();
  }
  static yaml::Value reply_with(const yaml::Value& record) {
    yaml::Value reply = yaml::read("record: {}");
    if (record.is_defined()) reply.map[0].value = record;
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

std::string word(bool value) { return value ? "true" : "false"; }

void compare_written(Differences& differences, const yaml::Value& wanted, const LockRecord& ours) {
  know_all(differences, wanted,
           {"h", "d", "tr", "acquireTimeEqualsRenewTime", "strategy", "preferredHolder"});
  const auto value = [&](const char* key, const std::string& have) {
    if (!wanted[key].is_defined()) return;
    compare(differences, std::string("written ") + key, have.empty() ? "absent" : have,
            wanted[key].text.empty() ? "absent" : wanted[key].text);
  };
  value("h", ours.holder);
  value("d", std::to_string(ours.duration_seconds.value_or(0)));
  value("tr", std::to_string(ours.transitions));
  value("strategy", ours.strategy);
  value("preferredHolder", ours.preferred_holder);
  value("acquireTimeEqualsRenewTime", word(ours.acquired == ours.renewed));
}

void compare_end(Differences& differences, const yaml::Value& wanted, Rig& rig) {
  const auto value = [&](const char* key, const std::string& have) {
    if (wanted[key].is_defined()) compare(differences, key, have, wanted[key].text);
  };
  const std::vector<std::string>& requests = rig.server().requests;
  if (wanted["requests"].is_defined()) {
    compare(differences, "requests", shown(requests), shown(wanted["requests"]));
  }
  value("holder", rig.machine().holder());
  value("transitions", std::to_string(rig.record().transitions));
  value("updates", std::to_string(std::ranges::count(requests, "update")));
  if (wanted["newLeaderCallbacks"].is_defined()) {
    compare(differences, "newLeaderCallbacks", shown(rig.leaders()),
            shown(wanted["newLeaderCallbacks"]));
  }
  if (wanted["acquireTime"].is_defined()) {
    const bool unchanged = rig.record().acquired == parse_rfc3339("2026-01-02T03:04:05Z");
    compare(differences, "acquireTime", unchanged ? "unchanged" : "changed",
            wanted["acquireTime"].text);
  }
  if (wanted["written"].is_defined()) {
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
bool is_own(const yaml::Value& observed, const yaml::Value& inputs) {
  const yaml::Value& holder = observed["record"]["h"];
  return holder.is_defined() && holder.text == options_of(inputs).identity;
}

/// As the case's server shows it first, for a case need not repeat it in what was observed.
int transitions_of_leadership(const yaml::Value& inputs) {
  for (const yaml::Value& entry : inputs["api"].list) {
    const yaml::Value& transitions = entry.map.at(0).value["record"]["tr"];
    if (transitions.is_defined()) return yaml::json_of(transitions);
  }
  return 0;
}

std::vector<std::string> run_steps(Rig& rig, const yaml::Value& steps, std::string& second_holder) {
  std::vector<std::string> results;
  for (const yaml::Value& step : steps.list) {
    if (step.is_map()) {
      rig.advance(duration_of(step["advance"]));
      continue;
    }
    const bool looks = step.text == "tryWithFastPathDisabled";
    results.push_back(word(looks ? rig.attempt_with_a_look() : rig.attempt()));
    if (results.size() == 2) second_holder = rig.machine().holder();
  }
  return results;
}

}  // namespace

Differences run_script(const ElectionCase& one) {
  if (one.inputs["candidates"].is_defined()) return run_story(one);
  Differences differences;
  know_all(differences, one.inputs,
           {"L", "D", "P", "self", "observed", "api", "steps", "cachedObject"});
  know_all(differences, one.expected,
           with(known_ends, {"result", "results", "holderAfterSecondTry"}));
  if (!differences.empty()) return differences;
  Rig rig(one.inputs);
  const yaml::Value& observed = one.inputs["observed"];
  const yaml::Value& cached = one.inputs["cachedObject"];
  const bool as_leader = is_own(observed, one.inputs);
  if (as_leader) rig.lead(observed, transitions_of_leadership(one.inputs));
  if (!as_leader && observed["record"].is_defined()) rig.remember(observed);
  // Who has a record and no object to write it into has to look first, as in coordinated elections.
  const bool looks_first = as_leader && cached.text != "present";
  rig.server().script(one.inputs["api"]);
  const bool one_try = !one.inputs["steps"].is_defined();
  const yaml::Value one_step = yaml::read(looks_first ? "[tryWithFastPathDisabled]" : "[try]");
  const yaml::Value& steps = one_try ? one_step : one.inputs["steps"];
  std::string second_holder;
  const std::vector<std::string> results = run_steps(rig, steps, second_holder);
  if (one.expected["result"].is_defined()) {
    compare(differences, "result", results.back(), shown(one.expected["result"]));
  }
  if (one.expected["results"].is_defined()) {
    compare(differences, "results", shown(results), shown(one.expected["results"]));
  }
  if (one.expected["holderAfterSecondTry"].is_defined()) {
    compare(differences, "holder after the second try", second_holder,
            one.expected["holderAfterSecondTry"].text);
  }
  compare_end(differences, one.expected, rig);
  return differences;
}

Differences run_release(const ElectionCase& one) {
  if (!one.inputs["api"].is_defined()) return run_story(one);
  Differences differences;
  know_all(differences, one.inputs, {"L", "D", "P", "self", "observed", "api"});
  know_all(differences, one.expected, with(known_ends, {"result"}));
  if (!differences.empty()) return differences;
  Rig rig(one.inputs);
  const yaml::Value unsaid = yaml::read("{record: {h: baz, d: 10}}");
  const bool said = one.inputs["observed"].is_defined();
  const yaml::Value& observed = said ? one.inputs["observed"] : unsaid;
  if (is_own(observed, one.inputs)) {
    rig.lead(observed, transitions_of_leadership(one.inputs));
  } else {
    rig.remember(observed);
  }
  rig.server().script(one.inputs["api"]);
  const bool released = rig.release();
  if (one.expected["result"].is_defined()) {
    compare(differences, "result", word(released), shown(one.expected["result"]));
  }
  compare_end(differences, one.expected, rig);
  return differences;
}

}  // namespace nlc::election::testing

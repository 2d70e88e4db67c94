#include <map>
#include <optional>
#include <sstream>

#include "controller/zones/token_bucket.h"
#include "tests/conformance/unit_answers.h"
#include "tests/conformance/unit_queue_world.h"
#include "tests/conformance/unit_words.h"

namespace nlc::conformance {
namespace {

using Json = nlohmann::json;

constexpr double unlimited = 1e9;

struct Operation {
  enum class Kind { Add, Remove, Grant, SetRate, Wait } kind;
  std::string name;                      ///< of Add and Remove
  std::optional<Duration> at;            ///< of Add
  bool fails = false;                    ///< of Grant: for all that `outcomes` does not name
  std::map<std::string, bool> outcomes;  ///< of Grant: by name, whether it is refused
  double rate = 0;
  Duration span{0};
};

std::string inside_parentheses(const std::string& text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return text.substr(open + 1, close - open - 1);
}

/// "success", "fail, wait 50ms", "first ok; second fails with wait 2ms; third ok". How long a
/// failed one waits is for the back-off to say, not for who failed.
Operation grant_of(const std::string& text) {
  Operation operation{.kind = Operation::Kind::Grant};
  const std::string how = inside_parentheses(text);
  operation.fails = how.starts_with("fail");
  std::istringstream parts(how);
  for (std::string part; std::getline(parts, part, ';');) {
    std::istringstream words(part);
    std::string name;
    std::string verdict;
    words >> name >> verdict;
    if (verdict == "ok" || verdict == "fails") operation.outcomes[name] = verdict == "fails";
  }
  if (how.empty() || how == "success" || operation.fails || !operation.outcomes.empty()) {
    return operation;
  }
  throw Unanswerable{"no such component: whatever a write does, it cannot do \"" + how + "\""};
}

double rate_of(const std::string& text) {
  const double rate = number_in(text);
  if (rate < 0) throw Unanswerable{"a rate below 0 is refused when the flags are read"};
  return rate;
}

Operation operation_of(const std::string& text) {
  using Kind = Operation::Kind;
  std::istringstream words(text);
  std::string verb;
  std::string object;
  std::string word;
  std::string moment;
  words >> verb >> object >> word >> moment;
  if (verb.starts_with("try")) return grant_of(text);
  if (verb == "add" && !object.empty()) {
    Operation add{.kind = Kind::Add, .name = object};
    if (word == "at") add.at = duration_in(moment);
    return add;
  }
  if (verb == "remove" && !object.empty()) return {.kind = Kind::Remove, .name = object};
  if (verb == "swap") return {.kind = Kind::SetRate, .rate = rate_of(object)};
  if (verb == "wait") return {.kind = Kind::Wait, .span = duration_in(object)};
  throw Unanswerable{
      "no such component: nothing does \"" + verb +
      "\" to the nodes of a zone that wait for their taint; they come and leave with "
      "their own condition"};
}

/// "10 x try(success)" is ten of them.
std::vector<Operation> operations_of(const std::vector<std::string>& texts) {
  std::vector<Operation> operations;
  for (const std::string& text : texts) {
    const std::size_t times = text.find(" x ");
    if (times == std::string::npos) {
      operations.push_back(operation_of(trimmed(text)));
      continue;
    }
    const auto count = static_cast<std::size_t>(number_in(text.substr(0, times)));
    operations.insert(operations.end(), std::min<std::size_t>(count, 1000),
                      operation_of(trimmed(text.substr(times + 3))));
  }
  return operations;
}

/// What the bucket is like at the start: "always", "bucket rate 1 burst 1", "…, empty".
struct Start {
  double rate = unlimited;
  bool empty = false;
};

Start start_of(UnitInput& input) {
  const std::string limiter = input.text("limiter");
  const std::string initial = input.text("initial");
  input.has("clock");  // it may stand as it likes: a queue of ours is told the time
  const std::string text = limiter.empty() ? initial : limiter;
  Start start;
  if (text.empty() || text.starts_with("always")) return start;
  if (!text.starts_with("bucket")) throw Unanswerable{"no such component: the limiter " + text};
  start.empty = text.ends_with("empty");
  const std::size_t rate = text.find("rate ");
  if (rate != std::string::npos) {
    const std::string number = text.substr(rate + 5);
    start.rate = rate_of(number.substr(0, number.find_first_of(" ,")));
  }
  return start;
}

/// A case as far as some operation.
class QueueRun {
 public:
  explicit QueueRun(Start start) : world_(start.rate), bucket_(start.rate, Instant{}) {
    if (!start.empty) return;
    world_.add("who took the token");
    world_.grant([](const std::string&) { return false; });
    world_.remove("who took the token");
  }

  void perform(const Operation& operation) {
    switch (operation.kind) {
      case Operation::Kind::Add:
        if (operation.at && *operation.at > world_.since_start()) {
          world_.wait(*operation.at - world_.since_start());
        }
        world_.add(operation.name);
        return world_.wait(std::chrono::microseconds(1));
      case Operation::Kind::Remove:
        return world_.remove(operation.name);
      case Operation::Kind::Wait:
        return world_.wait(operation.span);
      case Operation::Kind::SetRate:
        world_.set_rate(operation.rate);
        bucket_.set_rate(operation.rate, Instant{});
        return rates_.push_back(bucket_.rate());
      case Operation::Kind::Grant:
        return grant(operation);
    }
  }

  std::vector<std::string> drain() { return world_.drain(); }

  Json told() const {
    Json told{{"processed", processed_},    {"processed_set", processed_},
              {"processed_ok", processed_}, {"called_with", called_},
              {"calls", called_.size()},    {"processed_count_after_each_try", counts_},
              {"qps_after", rates_}};
    if (!tries_.empty()) told["processed_first_try"] = tries_.front();
    if (tries_.size() > 1) told["processed_second_try"] = tries_[1];
    return told;
  }

 private:
  void grant(const Operation& how) {
    const auto fails = [&](const std::string& name) {
      const auto named = how.outcomes.find(name);
      return named == how.outcomes.end() ? how.fails : named->second;
    };
    std::vector<std::string> accepted;
    for (const QueueWorld::Call& call : world_.grant(fails)) {
      called_.push_back(call.name);
      if (call.accepted) accepted.push_back(call.name);
    }
    processed_.insert(processed_.end(), accepted.begin(), accepted.end());
    counts_.push_back(processed_.size());
    tries_.push_back(std::move(accepted));
  }

  QueueWorld world_;
  controller::TokenBucket bucket_;
  std::vector<std::string> processed_;
  std::vector<std::string> called_;
  std::vector<std::vector<std::string>> tries_;
  std::vector<std::size_t> counts_;
  std::vector<double> rates_;
};

}  // namespace

/// Heap and set are one thing here, and who waits is seen by letting them all have their taint.
Json queue_answer(const UnitCase& unit) {
  UnitInput input(unit.input);
  const Start start = start_of(input);
  const std::vector<Operation> operations = operations_of(input.texts("ops"));
  input.finish();
  QueueRun run(start);
  for (const Operation& operation : operations) run.perform(operation);
  Json told = run.told();
  const std::vector<std::string> waiting = run.drain();
  told["heap"] = waiting;
  told["set"] = waiting;
  told["heap_left"] = waiting.size();
  return told;
}

}  // namespace nlc::conformance

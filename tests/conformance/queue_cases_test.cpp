#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>
#include <yaml-cpp/yaml.h>

#include "informer/requeue_delay.h"
#include "informer/work_queue.h"
#include "runtime/go_duration.h"

/// The cases of areas workqueue and ratelimit, each run from its inputs against its expectations.
namespace nlc::informer::testing {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

struct QueueCase {
  std::string id;
  std::string area;
  YAML::Node inputs;
  YAML::Node expected;
};
void PrintTo(const QueueCase& one, std::ostream* out) { *out << one.id; }

std::vector<QueueCase> queue_cases() {
  const YAML::Node file = YAML::LoadFile(NLC_CONFORMANCE_DIR "/cases/election-informer.yaml");
  std::vector<QueueCase> all;
  for (const YAML::Node& one : file["cases"]) {
    const std::string area = one["area"].as<std::string>();
    if (area != "workqueue" && area != "ratelimit") continue;
    all.push_back({one["id"].as<std::string>(), area, one["inputs"], one["expected"]});
  }
  return all;
}

std::map<std::string, std::string> deviations() {
  return YAML::LoadFile(NLC_SOURCE_DIR "/tests/conformance/deviations.yaml")
      .as<std::map<std::string, std::string>>();
}

/// "50us" too, which no flag of Kubernetes' needs.
Duration duration_of(const std::string& text) {
  if (text.ends_with("us")) return std::chrono::microseconds(std::stol(text));
  const auto duration = parse_go_duration(text);
  return duration ? *duration : Duration::min();
}
Duration duration_of(const YAML::Node& node) { return duration_of(node.as<std::string>()); }

Words words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

/// Does what a case says, word by word, and keeps what came of it.
class Played {
 public:
  explicit Played(const YAML::Node& inputs) {
    if (const YAML::Node limiter = inputs["limiter"]) {
      const YAML::Node range = limiter["exponential"];
      delay = std::make_unique<DoublingDelay<std::string>>(duration_of(range[0]),
                                                           duration_of(range[1]));
    }
    for (const YAML::Node& op : inputs["ops"]) {
      play(words_of(op.as<std::string>()));
      lengths.push_back(queue.size(now));
      ended.push_back(queue.ended());
    }
  }

  WorkQueue<std::string> queue;
  std::unique_ptr<RequeueDelay<std::string>> delay;
  Instant now = Instant{} + 1h;
  Words gets;
  std::vector<std::size_t> lengths;  ///< after each word
  std::vector<bool> ended;
  std::vector<Duration> delays;
  std::uint64_t failures_after_forget = 1;
  Duration queued{0};
  Duration worked{0};

 private:
  void play(const Words& op) {
    const std::string& verb = op.at(0);
    if (verb == "add") return queue.add(op.at(1), now);
    if (verb == "addAfter") return queue.add_after(op.at(1), duration_of(op.at(2)), now);
    if (verb == "addRL") return add_after_a_failure(op.at(1));
    if (verb == "forget") return forget(op.at(1));
    if (verb == "get") return get();
    if (verb == "done") return finish(op.size() > 1 ? op[1] : gets.back());
    if (verb == "advance") return pass(duration_of(op.at(1)));
    if (verb == "drain") return queue.end(Ending::Drained);
    if (verb == "shutdown") return queue.end(Ending::AtOnce);
    ADD_FAILURE() << "nobody knows " << verb;
  }
  void add_after_a_failure(const std::string& item) {
    delays.push_back(delay->next(item, now));
    queue.add_after(item, delays.back(), now);
  }
  void forget(const std::string& item) {
    delay->forget(item);
    failures_after_forget = delay->failures(item);
  }
  void get() {
    const auto work = queue.get(now);
    ASSERT_TRUE(work) << "nothing is ready";
    gets.push_back(work->item);
    queued = work->queued;
  }
  void finish(const std::string& item) { worked = queue.done(item, now); }
  /// Items that fall due are in line from their own moment on.
  void pass(Duration span) { now += span; }
};

/// Everything that is in line in the end.
Words rest_of(Played& played) {
  Words all = played.gets;
  while (auto work = played.queue.get(played.now)) all.push_back(work->item);
  return all;
}

std::vector<std::size_t> of_adds(const Played& played, const YAML::Node& ops) {
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].as<std::string>().starts_with("add ")) lengths.push_back(played.lengths[i]);
  }
  return lengths;
}

void expect_length(const QueueCase& one, Played& played) {
  const YAML::Node wanted = one.expected["len"];
  if (!wanted.IsSequence()) {
    EXPECT_EQ(played.queue.size(played.now), wanted.as<std::size_t>());
    return;
  }
  EXPECT_EQ(of_adds(played, one.inputs["ops"]), wanted.as<std::vector<std::size_t>>());
}

/// When the drain was over: with which word.
void expect_end_of_drain(const QueueCase& one, const Played& played) {
  const std::string wanted = one.expected["drainReturns"].as<std::string>();
  const std::size_t last = played.ended.size() - 1;
  EXPECT_TRUE(wanted == "after last done" || wanted == "after shutdown") << wanted;
  EXPECT_TRUE(played.ended[last]);
  EXPECT_FALSE(played.ended[last - 1]);
}

void expect_delays(const YAML::Node& wanted, const std::vector<Duration>& delays) {
  ASSERT_EQ(wanted.size(), delays.size());
  for (std::size_t i = 0; i < delays.size(); ++i) {
    EXPECT_EQ(delays[i], std::chrono::milliseconds(wanted[i].as<long>())) << i;
  }
}

void run_words(const QueueCase& one) {
  Played played(one.inputs);
  const YAML::Node& expected = one.expected;
  if (expected["len"]) expect_length(one, played);
  if (const YAML::Node lens = expected["lens"]) {
    EXPECT_EQ(played.lengths.front(), lens["before"].as<std::size_t>());
    EXPECT_EQ(played.lengths.at(1), lens["at60ms"].as<std::size_t>());
    EXPECT_EQ(played.lengths.back(), lens["end"].as<std::size_t>());
  }
  if (expected["drainReturns"]) expect_end_of_drain(one, played);
  if (expected["shutdownReturns"]) {
    EXPECT_TRUE(played.ended.back());
  }
  if (expected["delaysMs"]) expect_delays(expected["delaysMs"], played.delays);
  if (const YAML::Node left = expected["requeuesAfterForget"]) {
    EXPECT_EQ(played.failures_after_forget, left.as<std::uint64_t>());
  }
  if (expected["adds"]) {
    EXPECT_EQ(played.queue.adds(), expected["adds"].as<std::uint64_t>());
    EXPECT_EQ(played.lengths.at(2), expected["depthAfterGet"].as<std::size_t>());
    EXPECT_EQ(played.queued, duration_of(expected["queueDuration"]));
    EXPECT_EQ(played.worked, duration_of(expected["workDuration"]));
  }
  if (const YAML::Node gets = expected["gets"]) {
    EXPECT_EQ(rest_of(played), gets.as<Words>());
  }
}

/// All producers first, then all consumers: on one thread there is no other mixture to fear.
void run_producers(const QueueCase& one) {
  for (const Ending ending : {Ending::AtOnce, Ending::Drained}) {
    WorkQueue<int> queue;
    const Instant now = Instant{} + 1h;
    const int producers = one.inputs["producers"].as<int>();
    for (int i = 0; i < producers * one.inputs["addsEach"].as<int>(); ++i) queue.add(i, now);
    queue.end(ending);
    queue.add(-1, now);
    bool late_item_seen = false;
    while (const auto work = queue.get(now)) {
      late_item_seen = late_item_seen || work->item == -1;
      queue.done(work->item, now);
    }
    EXPECT_EQ(late_item_seen, one.expected["lateItemSeen"].as<bool>());
    EXPECT_EQ(queue.size(now), one.expected["len"].as<std::size_t>());
    EXPECT_TRUE(queue.ended());
  }
}

// --- delays -------------------------------------------------------------------------------------

using Delay = std::unique_ptr<RequeueDelay<std::string>>;

Delay delay_of(const YAML::Node& node) {
  if (const YAML::Node range = node["exponential"]) {
    return std::make_unique<DoublingDelay<std::string>>(duration_of(range[0]),
                                                        duration_of(range[1]));
  }
  const YAML::Node steps = node["fastSlow"];
  return std::make_unique<FastThenSlowDelay<std::string>>(
      duration_of(steps[0]), duration_of(steps[1]), steps[2].as<std::uint64_t>());
}

void expect_same_item(RequeueDelay<std::string>& delay, const QueueCase& one) {
  for (const YAML::Node& wanted : one.expected["delays"]) {
    EXPECT_EQ(delay.next("one", Instant{} + 1h), duration_of(wanted));
  }
  EXPECT_EQ(delay.failures("one"), one.expected["requeues"].as<std::uint64_t>());
}

void run_items(const QueueCase& one) {
  DoublingDelay<std::string> delay(duration_of(one.inputs["base"]), duration_of(one.inputs["max"]));
  std::vector<Duration> delays;
  for (const YAML::Node& call : one.inputs["calls"]) {
    const Words words = words_of(call.as<std::string>());
    if (words.at(0) != "forget") {
      delays.push_back(delay.next(words.at(0), Instant{} + 1h));
      continue;
    }
    EXPECT_EQ(delay.failures("one"), 5U);
    EXPECT_EQ(delay.failures("two"), 2U);
    delay.forget(words.at(1));
    EXPECT_EQ(delay.failures("one"), 0U);
  }
  expect_delays(one.expected["delaysMs"], delays);
}

void run_overflow(const QueueCase& one) {
  for (std::size_t i = 0; i < one.inputs["variants"].size(); ++i) {
    const YAML::Node variant = one.inputs["variants"][i];
    DoublingDelay<std::string> delay(duration_of(variant["base"]), duration_of(variant["max"]));
    for (int call = 0; call < variant["after"].as<int>(); ++call) delay.next("one", Instant{});
    EXPECT_EQ(delay.next("one", Instant{}), duration_of(one.expected["delays"][i]));
  }
}

void run_steps(const QueueCase& one) {
  FastThenSlowDelay<std::string> delay(duration_of(one.inputs["fast"]),
                                       duration_of(one.inputs["slow"]),
                                       one.inputs["n"].as<std::uint64_t>());
  expect_same_item(delay, one);
}

void run_longest(const QueueCase& one) {
  std::vector<Delay> parts;
  for (const YAML::Node& limiter : one.inputs["limiters"]) parts.push_back(delay_of(limiter));
  LongestDelay<std::string> delay(std::move(parts));
  expect_same_item(delay, one);
}

void run_default(const QueueCase& one) {
  auto delay = controller_delay<int>();
  const Instant now = Instant{} + 1h;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(delay.next(i, now), duration_of(one.expected["delayOfFirst100"])) << i;
  }
  const Duration about = duration_of(one.expected["delayOf101st"]["about"]);
  EXPECT_LE(std::chrono::abs(delay.next(100, now) - about), about / 10);
}

using Run = void (*)(const QueueCase&);

/// By the input that makes the shape.
const std::vector<std::pair<std::string, Run>>& shapes() {
  static const std::vector<std::pair<std::string, Run>> all{
      {"ops", run_words},         {"producers", run_producers}, {"base", run_items},
      {"variants", run_overflow}, {"fast", run_steps},          {"limiters", run_longest},
      {"calls", run_default}};
  return all;
}

class QueueCases : public ::testing::TestWithParam<QueueCase> {};

TEST_P(QueueCases, HoldsUnlessItIsListedAsDeviating) {
  const QueueCase& one = GetParam();
  if (deviations().contains(one.id)) return;
  for (const auto& [input, run] : shapes()) {
    if (one.inputs[input].IsDefined()) return run(one);
  }
  ADD_FAILURE() << one.id << ": nobody knows this shape";
}

INSTANTIATE_TEST_SUITE_P(Case, QueueCases, ::testing::ValuesIn(queue_cases()),
                         [](const auto& test) {
                           std::string name = test.param.id;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(WorkQueue, TellsWhenToLookAgainAndKeepsTheEarlierOfTwoMoments) {
  WorkQueue<std::string> queue;
  const Instant now = Instant{} + 1h;
  EXPECT_FALSE(queue.next_ready());
  queue.add_after("a", 5s, now);
  queue.add_after("a", 2s, now);
  queue.add_after("a", 9s, now);
  EXPECT_EQ(queue.next_ready(), now + 2s);
  EXPECT_FALSE(queue.get(now + 2s - 1ns));
  EXPECT_EQ(queue.get(now + 2s)->item, "a");
  EXPECT_FALSE(queue.next_ready());
}

TEST(WorkQueue, EndedItDropsWhatIsDueLaterAndStillHandsOutItsLine) {
  WorkQueue<std::string> queue;
  const Instant now = Instant{} + 1h;
  queue.add("a", now);
  queue.add_after("b", 1s, now);
  queue.end(Ending::Drained);
  EXPECT_EQ(queue.get(now + 1min)->item, "a");
  EXPECT_FALSE(queue.get(now + 1min));
  EXPECT_FALSE(queue.ended());
  queue.done("a", now);
  EXPECT_TRUE(queue.ended());
}

}  // namespace
}  // namespace nlc::informer::testing

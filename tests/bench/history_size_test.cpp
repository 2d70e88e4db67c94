#include <gtest/gtest.h>
#include <string>

#include "controller/reports/history.h"
#include "tests/bench/counted_memory.h"

/// What the history holds of the heap, counted by the allocator, at its bound.
namespace nlc::bench {
namespace {

using namespace controller;

const Instant start{std::chrono::hours(1)};

/// As after the loss of a zone: many more decisions than it remembers, every tenth refused.
void fill(History& history, const std::string& prefix) {
  for (int number = 0; number < 50'000; ++number) {
    const PodRef pod{.namespace_ = "team-" + std::to_string(number % 20),
                     .name = prefix + std::to_string(number),
                     .uid = "uid"};
    history.decided(MarkPodNotReady{.pod = pod}, start);
    const Error refused{.fault = Fault::Forbidden, .path = std::string(150, 'w')};
    history.answered(Action::MarkPodNotReady, pod,
                     number % 10 == 0 ? std::optional(refused) : std::nullopt);
  }
}

TEST(HistorySize, TakesNoMoreOfTheHeapThanItSaysWhateverTheNamesAreLike) {
  for (const std::string prefix :
       {"p", "checkout-7d4b9c6f5d-", "a-much-longer-name-of-a-pod-than-most-have-7d4b9c6f5d-"}) {
    const std::size_t before = bytes_held();
    History history;
    fill(history, prefix);
    const std::size_t held = bytes_held() - before;
    RecordProperty("bytes_of_" + prefix, static_cast<int>(held));
    EXPECT_LE(held, History::bytes_max_default) << prefix << ", " << history.size() << " decisions";
    EXPECT_GT(history.size(), 5000U) << prefix;
  }
}

}  // namespace
}  // namespace nlc::bench

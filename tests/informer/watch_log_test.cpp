#include "informer/watch_log.h"

#include <gmock/gmock.h>

#include "tests/memory_log.h"

namespace nlc::informer {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Instant noon = Instant{} + 12h;

TEST(WatchLog, TroubleIsToldByItsReasonHoweverItsWordsDiffer) {
  tests::MemoryLog log;
  WatchLog watch(log, "Node");
  for (int times = 0; times < 10; ++times) {
    watch.interrupted("unavailable", "request " + std::to_string(times), noon + times * 1s);
  }
  watch.interrupted("forbidden", "not you", noon + 10s);
  EXPECT_THAT(
      log.lines,
      ElementsAre("watch interrupted resource=Node reason=unavailable error=request 0 untold=0",
                  "watch interrupted resource=Node reason=forbidden error=not you untold=9"));
}

TEST(WatchLog, TroubleThatLastsIsToldOnceAMinuteWithWhatWasNotTold) {
  tests::MemoryLog log;
  WatchLog watch(log, "Node");
  for (Duration after{0}; after < 3min; after += 1s) {
    watch.unreadable("event", "nonsense", noon + after);
  }
  EXPECT_THAT(
      log.lines,
      ElementsAre("object skipped, it cannot be read resource=Node problem=nonsense untold=0",
                  "object skipped, it cannot be read resource=Node problem=nonsense untold=59",
                  "object skipped, it cannot be read resource=Node problem=nonsense untold=59"));
}

TEST(WatchLog, TheEndOfTroubleIsToldOnce) {
  tests::MemoryLog log;
  WatchLog watch(log, "Pod");
  watch.resumed(noon);
  EXPECT_THAT(log.lines, IsEmpty()) << "nothing had happened";
  watch.interrupted("unavailable", "reset", noon);
  watch.resumed(noon + 90s);
  watch.resumed(noon + 91s);
  EXPECT_EQ(log.count("watch resumed"), 1U);
  EXPECT_EQ(log.lines.back(), "watch resumed resource=Pod after=90s");
}

TEST(WatchLog, ObjectsAreReadAgainWhenAMinuteWentByWithoutOneThatWasNot) {
  tests::MemoryLog log;
  WatchLog watch(log, "Pod");
  watch.unreadable("object", "Pod s/p: odd", noon);
  watch.unreadable("object", "Pod s/p: odd", noon + 30s);
  watch.readable_events(noon + 90s - 1ns);
  EXPECT_EQ(log.lines.size(), 1U);
  watch.readable_events(noon + 90s);
  EXPECT_EQ(log.lines.back(), "no more objects that cannot be read resource=Pod after=90s");
}

TEST(WatchLog, ObjectsAreReadAgainWhenAWholeListWas) {
  tests::MemoryLog log;
  WatchLog watch(log, "Pod");
  watch.unreadable("object", "Pod s/p: odd", noon);
  watch.readable_list(noon + 1s);
  watch.readable_list(noon + 2s);
  EXPECT_EQ(log.count("no more objects that cannot be read"), 1U);
}

TEST(BeginningOf, ALongTextIsCutBetweenTwoCharacters) {
  EXPECT_EQ(beginning_of("short"), "short");
  EXPECT_EQ(beginning_of(std::string(300, 'x')), std::string(300, 'x'));
  EXPECT_EQ(beginning_of(std::string(301, 'x')), std::string(300, 'x') + "...");
  EXPECT_EQ(beginning_of(std::string(299, 'x') + "ü and more"), std::string(299, 'x') + "...");
}

}  // namespace
}  // namespace nlc::informer

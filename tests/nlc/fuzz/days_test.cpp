#include "nlc/fuzz/days.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "runtime/planted.h"

namespace nlc::workbench {
namespace {

using ::testing::MatchesRegex;

/// With a mistake that ends the process on day 56, until the end of the test.
class DaysWithACrash : public testing::Test {
 protected:
  DaysWithACrash() {
    plant("late-release");
    std::string name = (std::filesystem::temp_directory_path() / "days-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~DaysWithACrash() override {
    plant({});
    std::filesystem::remove_all(folder);
  }

  const std::uint64_t seed = 56;
  std::filesystem::path folder;
  Interrupts interrupts;
};

TEST_F(DaysWithACrash, TellHowManyWerePlayedHowManyFailedAndHowManyMarksTheyReached) {
  const FuzzFlags flags{.seeds = 2, .first = seed, .jobs = 1};
  Days days({.flags = flags, .interrupts = interrupts}, Days::Until::AllPlayed);
  days.play();
  EXPECT_THAT(days.state(), MatchesRegex("2 of 2 days, [0-9.]+ a second, 1 failed, [1-9][0-9]* of "
                                         "[0-9]+ marks reached"));
}

TEST_F(DaysWithACrash, EndWhenSomebodyAsksForItAndKeepWhatTheyFound) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const FuzzFlags flags{.seeds = 100'000, .first = seed, .jobs = 1};
    Days days({.flags = flags,
               .interrupts = interrupts,
               .on_found = [signal](const Found&) { ::raise(signal); }},
              Days::Until::AllPlayed);
    days.play();
    ASSERT_EQ(days.found().size(), 1U);
    EXPECT_EQ(days.found().front().seed, seed);
    EXPECT_EQ(days.found().front().rule, crash);
    EXPECT_TRUE(interrupts.heard());
    interrupts.forget();
  }
}

TEST_F(DaysWithACrash, OneThatBreaksNothingWhenItIsPlayedAgainIsKeptWholeAndSaidToBeSo) {
  plant({});
  Findings findings(folder);
  const Kept kept = cut_down(seed, "", findings, interrupts);
  EXPECT_EQ(kept.rule, "");
  EXPECT_EQ(kept.file.path, (folder / "56.yaml").string());
  EXPECT_TRUE(std::filesystem::exists(folder / "56.yaml"));
}

/// What is left until then breaks the rule all the same.
TEST_F(DaysWithACrash, CuttingDownEndsWhenSomebodyAsksForIt) {
  ::raise(SIGTERM);
  Findings findings(folder);
  const Kept kept = cut_down(seed, "", findings, interrupts);
  EXPECT_EQ(kept.rule, crash);
  EXPECT_GT(kept.lines, 10U);
  EXPECT_TRUE(kept.file.is_new);
}

TEST(Interrupts, NoHangUpIsOneWhereItWasIgnored) {
  const auto before = ::signal(SIGHUP, SIG_IGN);
  {
    const Interrupts interrupts;
    ::raise(SIGHUP);
    EXPECT_FALSE(interrupts.heard());
  }
  ::signal(SIGHUP, before);
}

TEST(Interrupts, AreForgottenWhenWhatTheyEndIsOver) {
  Interrupts interrupts;
  EXPECT_FALSE(interrupts.heard());
  ::raise(SIGINT);
  EXPECT_TRUE(interrupts.heard());
  interrupts.forget();
  EXPECT_FALSE(interrupts.heard());
}

}  // namespace
}  // namespace nlc::workbench

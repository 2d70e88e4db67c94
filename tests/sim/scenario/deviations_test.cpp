#include "sim/scenario/deviations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nlc::sim::scenario {
namespace {

using ::testing::HasSubstr;

constexpr const char* reasons =
    "reasons:\n"
    "  D-NX-1: {title: Stuck queue, releases: all, defects: [D-NX-1], issues: [94183], users: no "
    "taint for days,\n"
    "           ours: leaves at once, better: Nothing waits behind a ghost.}\n";

std::string error_of(const std::string& text) {
  const Result<Deviations> read = read_deviation_text(text, "list.yaml");
  return read ? "" : read.error().path;
}

Deviations example() {
  return *read_deviation_text(
      std::string(reasons) +
          "cases:\n"
          "- id: NX-1\n"
          "  reason: D-NX-1\n"
          "  expect:\n"
          "  - {when: {at: 5s}, that: [{process: alive}]}\n"
          "unit:\n"
          "- {id: QU-1, reason: D-NX-1, instead: a set, output: {left: 2}}\n"
          "sentences:\n"
          "  RF-1: There is none.\n",
      "list.yaml");
}

constexpr const char* alive = "expect: [{when: {at: 5s}, that: [{process: alive}]}]}\n";

TEST(Deviations, NameTheReasonAndWhatHoldsInstead) {
  const Deviations list = example();
  const Deviation* listed = list.find("NX-1");
  ASSERT_NE(listed, nullptr);
  EXPECT_EQ(listed->expect.size(), 1U);
  EXPECT_EQ(list.reason_of(*listed).issues, std::vector<long long>{94183});
  EXPECT_EQ(list.find("NX-2"), nullptr);
}

TEST(Deviations, CaseWithoutAnythingInItsPlaceIsRefused) {
  EXPECT_THAT(error_of(std::string(reasons) + "cases:\n- {id: NX-1, reason: D-NX-1}\n"),
              HasSubstr("list.yaml:5: NX-1 found without what holds in its place"));
}

TEST(Deviations, UnknownReasonIsRefused) {
  EXPECT_THAT(error_of(std::string(reasons) + "cases:\n- {id: A-1, reason: mood, " + alive),
              HasSubstr("list.yaml:5: the reason \"mood\" found"));
}

TEST(Deviations, CaseThatComesTwiceIsRefused) {
  const std::string one = std::string("- {id: A-1, reason: D-NX-1, ") + alive;
  EXPECT_THAT(error_of(std::string(reasons) + "cases:\n" + one + one),
              HasSubstr("list.yaml:6: A-1 found again"));
}

TEST(Deviations, UnknownKeyIsRefused) {
  EXPECT_THAT(
      error_of(std::string(reasons) + "cases:\n- {id: A-1, reason: D-NX-1, mood: good, " + alive),
      HasSubstr("list.yaml:5: the key \"mood\""));
}

TEST(Deviations, ReasonMustSayWhatItDoesToUsersAndWhyOursIsBetter) {
  EXPECT_THAT(
      error_of("reasons:\n  D-1: {title: t, releases: all, users: u, ours: o}\ncases: []\n"),
      HasSubstr("without \"better\" found"));
}

TEST(Deviations, FileThatIsNoYamlIsRefusedWithItsLine) {
  EXPECT_THAT(error_of("reasons: {\n"), HasSubstr("list.yaml:"));
}

TEST(ListedCase, DeviatesWhenItsLetterFailsAndOursHolds) {
  const Outcome outcome = settled({.id = "A-1", .failures = {{"x", "y"}}}, {});
  EXPECT_EQ(outcome.verdict, Verdict::Deviating);
  EXPECT_EQ(outcome.failures.size(), 1U) << "it says why the letter fails";
}

TEST(ListedCase, FailsWhenItsLetterHoldsAfterAll) {
  const Outcome outcome = settled({.id = "A-1"}, {});
  EXPECT_EQ(outcome.verdict, Verdict::Failed);
  EXPECT_EQ(outcome.failures.front().seen, "it passes as written");
}

TEST(ListedCase, FailsWhenWhatIsListedInItsPlaceDoesNotHold) {
  const Outcome outcome =
      settled({.id = "A-1", .failures = {{"x", "y"}}}, {.failures = {{"ours", "not so"}}});
  EXPECT_EQ(outcome.verdict, Verdict::Failed);
  ASSERT_EQ(outcome.failures.size(), 1U);
  EXPECT_EQ(outcome.failures.front().expectation, "of ours: ours");
}

}  // namespace
}  // namespace nlc::sim::scenario

#include "sim/scenario/deviations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/defects_page.h"

namespace nlc::sim::scenario {
namespace {

using ::testing::HasSubstr;

constexpr const char* reasons =
    "reasons:\n"
    "  D-NX-1: {title: Stuck queue, defects: [D-NX-1], issues: [94183], users: no taint for days,\n"
    "           ours: leaves at once, better: Nothing waits behind a ghost.}\n";

std::string error_of(const std::string& text) {
  const Result<Deviations> read = read_deviation_text(text, "list.yaml");
  return read ? "" : read.error().path;
}

Deviations example() {
  return *read_deviation_text(
      std::string(reasons) +
          "cases:\n"
          "- {id: QU-1, reason: D-NX-1, instead: a set, output: {left: 2}}\n"
          "- id: NX-1\n"
          "  reason: D-NX-1\n"
          "  expect:\n"
          "  - {when: {at: 5s}, that: [{process: alive}]}\n",
      "list.yaml");
}

TEST(Deviations, NameTheReasonAndWhatHoldsInstead) {
  const Deviations list = example();
  const Deviation* unit = list.find("QU-1");
  ASSERT_NE(unit, nullptr);
  EXPECT_EQ(unit->instead, "a set");
  EXPECT_EQ(unit->output->dump(), R"({"left":2})");
  EXPECT_EQ(list.reason_of(*unit).issues, std::vector<long long>{94183});
  EXPECT_EQ(list.find("NX-1")->expect.size(), 1U);
  EXPECT_EQ(list.find("NX-2"), nullptr);
}

TEST(Deviations, CaseWithoutAnythingInItsPlaceIsRefused) {
  EXPECT_THAT(error_of(std::string(reasons) + "cases:\n- {id: NX-1, reason: D-NX-1}\n"),
              HasSubstr("list.yaml:5: NX-1 found without what holds in its place"));
}

TEST(Deviations, UnknownReasonIsRefused) {
  EXPECT_THAT(error_of(std::string(reasons) + "cases:\n- {id: A-1, reason: mood, instead: x}\n"),
              HasSubstr("list.yaml:5: the reason \"mood\" found"));
}

TEST(Deviations, CaseThatComesTwiceIsRefused) {
  EXPECT_THAT(error_of(std::string(reasons) + "cases:\n"
                                              "- {id: A-1, reason: D-NX-1, instead: x}\n"
                                              "- {id: A-1, reason: D-NX-1, instead: x}\n"),
              HasSubstr("list.yaml:6: A-1 found again"));
}

TEST(Deviations, UnknownKeyIsRefused) {
  EXPECT_THAT(error_of(std::string(reasons) +
                       "cases:\n- {id: A-1, reason: D-NX-1, instead: x, mood: good}\n"),
              HasSubstr("list.yaml:5: the key \"mood\""));
}

TEST(Deviations, ReasonMustSayWhatItDoesToUsersAndWhyOursIsBetter) {
  EXPECT_THAT(error_of("reasons:\n  D-1: {title: t, users: u, ours: o}\ncases: []\n"),
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

TEST(DefectsPage, HasARowForEachReasonWithItsIssuesAndCases) {
  EXPECT_THAT(
      defects_page(example()),
      HasSubstr("| **Stuck queue** (D-NX-1) | "
                "[#94183](https://github.com/kubernetes/kubernetes/issues/94183) | no taint "
                "for days | leaves at once | Nothing waits behind a ghost. | QU-1, NX-1 |"));
}

TEST(DefectsPage, TellsWhatStandsInAComponentsPlace) {
  EXPECT_THAT(defects_page(example()), HasSubstr("| QU-1 | a set |\n"));
}

}  // namespace
}  // namespace nlc::sim::scenario

#include "sim/scenario/report.h"

#include <gtest/gtest.h>

namespace nlc::sim::scenario {
namespace {

const std::vector<Outcome> three{
    {.id = "A-1", .title = "holds", .verdict = Verdict::Passed},
    {.id = "A-2",
     .title = "does not",
     .verdict = Verdict::Failed,
     .failures = {{"at 5s: node n is there", "no such node at 5s"}, {"more", "less"}}},
    {.id = "A-3", .title = "differs", .verdict = Verdict::Deviating, .failures = {{"x", "y"}}}};

TEST(ScenarioReport, LastLineCountsEveryCaseOnce) {
  EXPECT_EQ(tally_line(tally_of(three)), "1 passed, 1 failed, 1 deviating");
  EXPECT_EQ(tally_line(tally_of({})), "0 passed, 0 failed, 0 deviating");
}

TEST(ScenarioReport, FailedCaseIsOneLineWithIdTitleExpectationAndWhatWasSeen) {
  EXPECT_EQ(failure_line(three[1]),
            "A-2 does not: expected at 5s: node n is there; seen: no such node at 5s (and 1 more)");
}

TEST(ScenarioReport, WhateverWasSeenALineIsOne) {
  const std::string long_text(1 << 20, 'x');
  const std::string line = failure_line(
      {.id = "A", .failures = {{"at 5s: n has \x1b[31m", "a\n" + long_text}, {"more", "less"}}});
  EXPECT_TRUE(line.starts_with("A: expected at 5s: n has  [31m; seen: a x")) << line;
  EXPECT_TRUE(line.ends_with("x (and 1 more)")) << line;
  EXPECT_LT(line.size(), 1'200U);
}

TEST(ScenarioReport, CaseThatIsMisreadIsOneLineWithFileAndLineLikeAFileThatIs) {
  const Failure first{"f.yaml:17", "10 found, a duration such as 40s expected"};
  EXPECT_EQ(problem_line({first}), "f.yaml:17: 10 found, a duration such as 40s expected");
  EXPECT_EQ(problem_line({first, {"f.yaml:18", "b"}, {"f.yaml:19", "c"}}),
            "f.yaml:17: 10 found, a duration such as 40s expected (and 2 more)");
}

TEST(ScenarioReport, JsonHasTheSameCountsAndEachCaseWithItsFailures) {
  EXPECT_EQ(report_json(three).dump(),
            R"({"passed":1,"failed":1,"deviating":1,"cases":[)"
            R"({"id":"A-1","outcome":"passed","failures":[]},)"
            R"({"id":"A-2","outcome":"failed","failures":[)"
            R"({"expectation":"at 5s: node n is there","seen":"no such node at 5s"},)"
            R"({"expectation":"more","seen":"less"}]},)"
            R"({"id":"A-3","outcome":"deviating","failures":[{"expectation":"x","seen":"y"}]}]})");
}

}  // namespace
}  // namespace nlc::sim::scenario

#include "tests/conformance/defects_page.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace nlc::conformance {
namespace {

using sim::scenario::Deviations;
using ::testing::HasSubstr;

std::string example() {
  const Result<Deviations> read = sim::scenario::read_deviation_text(
      "reasons:\n"
      "  D-NX-1: {title: Stuck queue, defects: [D-NX-1], issues: [94183], users: no taint for "
      "days,\n"
      "           ours: leaves at once, better: Nothing waits behind a ghost.}\n"
      "cases:\n"
      "- {id: NX-1, reason: D-NX-1, expect: [{when: {at: 5s}, that: [{process: alive}]}]}\n",
      "list.yaml");
  return defects_page(
      *read, {{.id = "QU-1", .reason = "D-NX-1", .instead = "a set", .output = std::nullopt}});
}

TEST(DefectsPage, HasARowForEachReasonWithItsIssuesAndCases) {
  EXPECT_THAT(
      example(),
      HasSubstr("| **Stuck queue** (D-NX-1) | "
                "[#94183](https://github.com/kubernetes/kubernetes/issues/94183) | no taint "
                "for days | leaves at once | Nothing waits behind a ghost. | QU-1, NX-1 |"));
}

TEST(DefectsPage, TellsWhatStandsInAComponentsPlace) {
  EXPECT_THAT(example(), HasSubstr("| QU-1 | a set |\n"));
}

/// With NLC_WRITE_DOCS set the page is written instead.
TEST(DefectsPage, OfTheDocumentationIsWhatTheListSays) {
  const std::string path = NLC_SOURCE_DIR "/docs/defects.md";
  const std::string list = NLC_CONFORMANCE_DIR "/deviations.yaml";
  const std::string page =
      defects_page(*sim::scenario::read_deviations(list), read_unit_deviations(list));
  if (std::getenv("NLC_WRITE_DOCS") != nullptr) std::ofstream(path) << page;
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), page) << "to write it anew: make docs";
}

}  // namespace
}  // namespace nlc::conformance

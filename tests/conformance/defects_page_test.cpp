#include "tests/conformance/defects_page.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "sim/scenario/model/releases.h"
#include "tests/yaml_file.h"

namespace nlc::conformance {
namespace {

using sim::scenario::Deviations;
using ::testing::HasSubstr;

std::string example() {
  const Result<Deviations> read = sim::scenario::read_deviation_text(
      "reasons:\n"
      "  D-NX-1: {title: Stuck queue, releases: '>=1.37', defects: [D-NX-1], issues: [94183], "
      "users: no taint for "
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
      HasSubstr("| **Stuck queue** (D-NX-1) | from 1.37 | "
                "[#94183](https://github.com/kubernetes/kubernetes/issues/94183) | no taint "
                "for days | leaves at once | Nothing waits behind a ghost. | QU-1, NX-1 |"));
}

/// A list with one reason, of these releases.
Result<Deviations> reason_of(const std::string& releases) {
  return sim::scenario::read_deviation_text(
      "reasons:\n  D-NX-1: {title: Stuck, releases: " + releases +
          ", users: a, ours: b, better: c}\ncases: []\n",
      "list.yaml");
}

TEST(DefectsPage, TellsWhatIsMendedBehindWhat136Or137Have) {
  const auto mended = [](const std::string& releases) {
    const std::string page = defects_page(*reason_of(releases), {});
    return page.find("## What is mended in both") < page.find("**Stuck**");
  };
  EXPECT_TRUE(mended("<=1.35"));
  EXPECT_TRUE(mended("1.18..1.20"));
  EXPECT_FALSE(mended("<=1.36"));
  EXPECT_FALSE(mended("'>=1.37'"));
  EXPECT_FALSE(mended("all"));
}

TEST(DefectsPage, RefusesReleasesThatCannotBeRead) {
  for (const char* releases : {"''", "some", "1.20", "'>=1.20..1.22'", "'>=2.1'"}) {
    const Result<Deviations> read = reason_of(releases);
    ASSERT_FALSE(read) << releases;
    EXPECT_THAT(read.error().path, HasSubstr("expected")) << releases;
  }
}

/// The cases and scenarios that there are, with the releases they are of, where these are given.
std::map<std::string, std::string> known_cases() {
  std::map<std::string, std::string> known;
  for (const char* folder : {NLC_CONFORMANCE_DIR "/cases", NLC_SOURCE_DIR "/tests/scenarios"}) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      for (const auto& section : tests::yaml_file(file.path()).map) {
        for (const yaml::Value& each : section.value.list) {
          if (each["id"].is_defined()) known[each["id"].text] = each["applies_to"].text;
        }
      }
    }
  }
  return known;
}

/// What is said of releases agrees with the cases' own ranges, and what proves a row is there.
TEST(DefectsPage, ReasonsAreOfTheReleasesOfTheirCases) {
  const std::string list = NLC_CONFORMANCE_DIR "/deviations.yaml";
  const Deviations deviations = *sim::scenario::read_deviations(list);
  const std::map<std::string, std::string> known = known_cases();
  std::map<std::string, std::vector<std::string>> cases;
  for (const auto& each : read_unit_deviations(list)) cases[each.reason].push_back(each.id);
  for (const auto& each : deviations.cases) cases[each.reason].push_back(each.id);
  std::size_t compared = 0;
  for (const sim::scenario::Reason& reason : deviations.reasons) {
    for (const std::string& id : reason.proved_by) EXPECT_TRUE(known.contains(id)) << id;
    for (const std::string& id : cases[reason.name]) {
      ASSERT_TRUE(known.contains(id)) << id;
      const auto range = sim::scenario::read_releases(known.at(id));
      if (!range) continue;  // in words
      ++compared;
      EXPECT_TRUE(range->meets(reason.releases)) << id << " is of " << known.at(id) << ", "
                                                 << reason.name << " of " << reason.releases_text;
    }
  }
  EXPECT_GT(compared, 40U);
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

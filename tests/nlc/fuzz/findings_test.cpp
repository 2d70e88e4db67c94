#include "nlc/fuzz/findings.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace nlc::workbench {
namespace {

/// A folder of its own, until the end of the test.
class FindingsOfRuns : public testing::Test {
 protected:
  FindingsOfRuns() {
    std::string name = (std::filesystem::temp_directory_path() / "findings-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~FindingsOfRuns() override { std::filesystem::remove_all(folder); }

  std::string content(const std::string& file) const {
    std::ifstream stream(folder / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::filesystem::path folder;
};

std::string day(const std::string& number, const std::string& step) {
  return "# nlc fuzz --seed v1:" + number + ": silent\ncases:\n- id: FUZZ-" + number +
         "\n  timeline:\n  - {" + step + "}\n";
}

TEST_F(FindingsOfRuns, ADayStandsInTheListFromTheMomentAtWhichItIsFound) {
  Findings run(folder);
  run.note("v1:7  silent: node a");
  EXPECT_EQ(content("found.txt"), "v1:7  silent: node a\n");
}

TEST_F(FindingsOfRuns, ADayThatALaterRunFindsAgainStandsInTheListOnce) {
  Findings(folder).note("v1:7  silent: node a");
  Findings later(folder);
  later.note("v1:7  silent: node a");
  later.note("v1:8  silent: node a");
  EXPECT_EQ(content("found.txt"), "v1:7  silent: node a\nv1:8  silent: node a\n");
}

TEST_F(FindingsOfRuns, DaysOfWhichTheSameIsLeftAreOneFile) {
  Findings run(folder);
  const Findings::File first =
      run.keep("7", day("7", "at: 1m13s, delete: {kind: Node, name: a-1}"));
  const Findings::File same = run.keep("8", day("8", "at: 2m, delete: {kind: Node, name: a-30}"));
  EXPECT_TRUE(first.is_new);
  EXPECT_FALSE(same.is_new);
  EXPECT_EQ(same.path, first.path);
  EXPECT_FALSE(std::filesystem::exists(folder / "8.yaml"));
}

TEST_F(FindingsOfRuns, DaysOfWhichSomethingElseIsLeftAreTwo) {
  Findings run(folder);
  run.keep("7", day("7", "at: 1m, delete: {kind: Node, name: a-1}"));
  EXPECT_TRUE(run.keep("8", day("8", "at: 1m, kill: controller")).is_new);
  EXPECT_EQ(content("8.yaml"), day("8", "at: 1m, kill: controller"));
}

TEST_F(FindingsOfRuns, WhatALaterRunFindsAgainIsNotNew) {
  const std::string text = day("7", "at: 1m, kill: controller");
  Findings(folder).keep("7", text);
  const Findings::File again = Findings(folder).keep("7", text);
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(again.path, (folder / "7.yaml").string());
}

TEST_F(FindingsOfRuns, WhatALaterRunFindsOnTheSameDayTakesNothingsPlace) {
  Findings(folder).keep("7", day("7", "at: 1m, kill: controller"));
  const Findings::File other = Findings(folder).keep("7", day("7", "at: 1m, stop: controller"));
  EXPECT_TRUE(other.is_new);
  EXPECT_EQ(other.path, (folder / "7-2.yaml").string());
  EXPECT_EQ(content("7.yaml"), day("7", "at: 1m, kill: controller"));
}

TEST_F(FindingsOfRuns, AFolderThatWasMadeForThemStaysOnlyWithWhatWasFound) {
  {
    const Findings nothing(folder / "made" / "here");
    EXPECT_TRUE(std::filesystem::is_directory(folder / "made" / "here"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "made" / "here"));
  Findings(folder / "here").note("v1:7  silent: node a");
  EXPECT_TRUE(std::filesystem::exists(folder / "here" / "found.txt"));
}

TEST_F(FindingsOfRuns, AFolderThatWasThereStays) {
  { const Findings nothing(folder); }
  EXPECT_TRUE(std::filesystem::is_directory(folder));
}

TEST_F(FindingsOfRuns, NothingCanBeKeptInWhatIsNoFolder) {
  EXPECT_FALSE(Findings(folder).error());
  std::ofstream(folder / "file") << "something";
  EXPECT_TRUE(Findings(folder / "file").error());
}

}  // namespace
}  // namespace nlc::workbench

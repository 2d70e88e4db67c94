#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <string>

namespace nlc::docs {
namespace {

namespace fs = std::filesystem;

/// What stands first in each line that is such a one.
std::set<std::string> found_in(const fs::path& path, const std::string& line_with_version) {
  std::ifstream file(path);
  std::set<std::string> versions;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, match, std::regex(line_with_version))) versions.insert(match[1]);
  }
  return versions;
}

std::set<std::string> pinned() {
  std::set<std::string> versions;
  for (const auto& entry : fs::directory_iterator(fs::path(NLC_SOURCE_DIR) / "tests/real")) {
    if (entry.path().extension() != ".mod") continue;
    versions.merge(found_in(entry.path(), R"(\tk8s\.io/kubernetes v([0-9.]+))"));
  }
  return versions;
}

TEST(CompatibilityPage, IsOfTheReleasesWhoseServersArePinned) {
  EXPECT_THAT(pinned(), ::testing::SizeIs(::testing::Gt(1)));
  EXPECT_EQ(found_in(fs::path(NLC_SOURCE_DIR) / "docs/compatibility.md", R"(\| ([0-9.]+) \|.*)"),
            pinned())
      << "`make test-real-matrix` writes it";
}

}  // namespace
}  // namespace nlc::docs

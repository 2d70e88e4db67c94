#include <gmock/gmock.h>
#include <regex>
#include <set>

#include "tests/real/rig/stage.h"

/// What can be known of the image without building it.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

std::string text_of(const std::string& path) {
  return read_text(std::filesystem::path(NLC_SOURCE_DIR) / path);
}

/// Every match of the pattern's first group.
std::set<std::string> found(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::set<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) {
    all.insert(at->str(1));
  }
  return all;
}

/// What a program prints.
std::string printed(const std::vector<std::string>& words) {
  const auto folder = new_folder();
  Process program({.words = words, .output = folder / "out", .errors = folder / "errors"});
  EXPECT_EQ(program.wait(30s), 0) << words.front() << ": " << read_text(folder / "errors");
  const std::string text = read_text(folder / "out");
  std::filesystem::remove_all(folder);
  return text;
}

/// The Debian packages whose libraries the programs name, save those in every Debian image.
std::set<std::string> packages_of(const std::vector<std::filesystem::path>& programs) {
  std::vector<std::string> words = {"dpkg-query", "-S"};
  for (const std::filesystem::path& program : programs) {
    const std::string dynamic = printed({"objdump", "-p", program.string()});
    for (const std::string& library : found(dynamic, "NEEDED +(\\S+)")) {
      words.push_back("*-linux-gnu/" + library);  // not the 32-bit twin, where one is installed
    }
  }
  std::set<std::string> packages = found(printed(words), "(?:^|\\n)([^:\\n]+):");
  for (const char* always : {"libc6", "libgcc-s1", "libstdc++6"}) packages.erase(always);
  return packages;
}

std::string last_stage() {
  const std::string file = text_of("Containerfile");
  return file.substr(file.rfind("\nFROM "));
}

/// The first stage has make and nothing else, so make itself sees to the rest.
TEST(Containerfile, MakeBuildInstallsTheCompilerBeforeItCallsIt) {
  const std::string plan = printed(
      {"make", "--no-print-directory", "--dry-run", "--directory", NLC_SOURCE_DIR, "build"});
  const std::size_t setup = plan.find(".ci/setup build\n");
  ASSERT_NE(setup, std::string::npos) << plan;
  EXPECT_LT(setup, plan.find("cmake --preset release"));
  for (const char* package : {"g++", "cmake", "ninja-build"}) {
    EXPECT_THAT(text_of(".ci/setup"), HasSubstr(std::string(" ") + package)) << package;
  }
}

TEST(Containerfile, InstallsTheLibrariesOfTheProgramsAndNothingElse) {
  std::set<std::string> needed = packages_of({controller_program(), sidecar_program()});
  needed.insert("ca-certificates");
  const std::string stage = last_stage();
  const std::size_t begin = stage.find("--yes");
  const std::string list = stage.substr(begin + 5, stage.find("&&", begin) - begin - 5);
  EXPECT_EQ(found(list, "([a-z][a-z0-9.+-]+)"), needed);
}

TEST(Containerfile, PutsTheProgramsWhereTheManifestsLookForThemAndRunsAsTheirUser) {
  const std::string stage = last_stage();
  EXPECT_THAT(found(stage, "build/bin/(\\S+)"),
              IsSupersetOf({"node-lifecycle-controller", "leader-elector", "nlc"}));
  EXPECT_THAT(stage, HasSubstr(" /usr/local/bin/\n"));
  EXPECT_THAT(stage, HasSubstr("ENTRYPOINT [\"/usr/local/bin/node-lifecycle-controller\"]"));
  for (const char* manifest : {"manifests/deployment.yaml", "manifests/leader-elector.yaml"}) {
    const std::string text = text_of(manifest);
    const std::set<std::string> user = found(text, "runAsUser: ([0-9]+)");
    const std::set<std::string> group = found(text, "runAsGroup: ([0-9]+)");
    ASSERT_EQ(user.size() * group.size(), 1u);
    EXPECT_THAT(stage, HasSubstr("USER " + *user.begin() + ":" + *group.begin() + "\n"));
    EXPECT_EQ(found(text, "image: (\\S+)"), found(text_of("Containerfile"), "-t (\\S+) "));
  }
  EXPECT_EQ(found(text_of("manifests/leader-elector.yaml"), "command: \\[(\\S+)\\]"),
            std::set<std::string>{"/usr/local/bin/leader-elector"});
}

}  // namespace
}  // namespace nlc::real

#include "tests/docs/commands.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "tests/net/temporary_folder.h"

/// What the pages for users tell to type is typed here, and prints what they say.
namespace nlc::docs {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

const fs::path root = NLC_SOURCE_DIR;

/// Commands that begin so are left, and why: each has to be told by some page.
const std::map<std::string, std::string> left{
    {"kubectl", "asks a cluster"},
    {"curl", "asks a running controller"},
    {"export", "is for the reader's own shell"},
    {"jq", "looks into what make image wrote"},
    {"sudo apt-get", "installs what make package wrote"},
    {"apropos", "asks for what is installed"},
    {"nlc demo", "takes half a minute of the real clock"},
    {"make", "builds, tests or runs all there is"},
    {"build/bin/nlc cluster", "serves on a port until it is told to end"},
    {"build/bin/nlc hollow", "keeps nodes in a cluster until it is told to end"},
    {"build/bin/node-lifecycle-controller --kubeconfig", "leads a cluster"},
    {"node-lifecycle-controller --kubeconfig", "leads a cluster"},
    {"nlc experiment FILE", "stands for commands"},
};

/// Figures and whole files of cases: a minute and a half of an optimised program's time, and ten
/// times that of another's. `make test-docs` compares them.
const std::map<std::string, std::string> long_ones{
    {"nlc experiment docs/", "draws a figure"},
    {"build/bin/nlc experiment", "takes 120 runs"},
    {"build/bin/nlc scenario tests/conformance", "runs all cases"},
};
bool every_figure() { return std::getenv("NLC_EVERY_FIGURE") != nullptr; }

/// Days are drawn by the thousand; two of them show that the command is understood.
const std::map<std::string, std::string> shortened{
    {"--seeds 1000000 --for 10h", "--seeds 2 --for 10h"},
    {"--seeds 10000", "--seeds 2"},
    {"--seeds 1000", "--seeds 2"},
};

/// That end with another code than 0 although nothing is shown of it.
const std::map<std::string, int> failing{
    {"nlc scenario docs/scenarios/*.yaml --flag node-monitor-grace-period=20s", 1}};

bool begins_like_one_of(const std::string& words, const std::map<std::string, std::string>& these,
                        std::set<std::string>& met) {
  for (const auto& [start, why] : these) {
    if (!words.starts_with(start)) continue;
    met.insert(start);
    return true;
  }
  return false;
}

std::vector<Command> all_commands() {
  std::vector<fs::path> pages{root / "README.md"};
  for (const char* folder : {"docs", "docs/runbooks"}) {
    for (const auto& page : fs::directory_iterator(root / folder)) {
      if (page.path().extension() == ".md") pages.push_back(page.path());
    }
  }
  std::ranges::sort(pages);
  std::vector<Command> commands;
  for (const fs::path& page : pages) {
    std::ranges::move(commands_of(page, fs::relative(page, root).string()),
                      std::back_inserter(commands));
  }
  return commands;
}

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Where commands draw figures that pages show.
constexpr std::array drawn_in{"docs/experiments", "docs/scenarios"};

/// The repository as a reader has it, with programs built; what commands write stays here.
class Reader {
 public:
  Reader() {
    const fs::path here = folder_.path("");
    fs::create_directories(here / "build/bin");
    fs::create_directory_symlink(root / "tests", here / "tests");
    for (const std::string folder : drawn_in) {
      fs::create_directories(here / folder);
      for (const auto& file : fs::directory_iterator(root / folder)) {
        if (file.path().extension() != ".yaml") continue;
        fs::create_symlink(file.path(), here / folder / file.path().filename());
      }
    }
    const char* nlc = std::getenv("NLC_PROGRAM");
    fs::create_symlink(nlc != nullptr ? fs::absolute(nlc) : NLC_WORKBENCH_PROGRAM,
                       here / "build/bin/nlc");
    fs::create_symlink(NLC_CONTROLLER_PROGRAM, here / "build/bin/node-lifecycle-controller");
  }

  struct Ended {
    std::string output;
    int code = -1;
  };
  Ended type(const std::string& words) const {
    const std::string line = "cd '" + folder_.path("") +
                             "' && PATH=\"$PWD/build/bin:$PATH\" && { " + words +
                             "; } 2>&1 </dev/null";
    Ended ended;
    std::FILE* pipe = ::popen(line.c_str(), "r");
    if (pipe == nullptr) return ended;
    std::array<char, 4096> piece{};
    while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), pipe)) {
      ended.output.append(piece.data(), size);
    }
    const int status = ::pclose(pipe);
    if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
    return ended;
  }

  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  fs::path path(const std::string& name) const { return folder_.path(name); }

 private:
  tests::TemporaryFolder folder_;
};

/// With NLC_WRITE_DOCS set pages and pictures are written instead, of what is run.
bool writes_docs() { return std::getenv("NLC_WRITE_DOCS") != nullptr; }

void write_output(const Command& command, const std::string& printed) {
  const fs::path page = root / command.place.substr(0, command.place.rfind(':'));
  std::string text = text_of(page);
  text.replace(text.find(command.output), command.output.size(), printed);
  std::ofstream(page) << text;
}

/// What is wrong with it; empty: nothing.
std::string difference(const Reader& reader, const Command& command) {
  std::string words = command.words;
  for (const auto& [many, few] : shortened) {
    const std::size_t at = words.find(many);
    const bool whole =
        at != words.npos && (at + many.size() == words.size() || words[at + many.size()] == ' ');
    if (whole) words.replace(at, many.size(), few);
  }
  const Reader::Ended ended = reader.type(words);
  const std::string it = command.place + ": " + words;
  if (command.is_shown) {
    const bool is_right = is_told(ended.output, command.output);
    if (!is_right && writes_docs()) write_output(command, ended.output);
    return is_right ? "" : it + " prints\n" + ended.output;
  }
  const auto known = failing.find(words);
  const int expected = known == failing.end() ? 0 : known->second;
  if (ended.code == expected) return {};
  return it + " ends with " + std::to_string(ended.code) + "\n" + ended.output;
}

/// Those that were drawn now with those that are kept.
void compare_figures(const Reader& reader, const std::string& folder) {
  for (const auto& drawn : fs::directory_iterator(reader.path(folder))) {
    if (drawn.path().extension() != ".svg") continue;
    const fs::path kept = root / folder / drawn.path().filename();
    if (writes_docs()) std::ofstream(kept) << text_of(drawn.path());
    EXPECT_EQ(text_of(drawn.path()), text_of(kept)) << kept;
  }
}

TEST(DocumentedCommands, PrintWhatStandsBelowThem) {
  const Reader reader;
  std::set<std::string> met;
  std::vector<std::string> differing;
  std::size_t run = 0;
  std::size_t compared = 0;
  std::map<std::string, std::size_t> not_run;
  for (const Command& command : all_commands()) {
    if (begins_like_one_of(command.words, left, met)) {
      ++not_run["need more than a program"];
    } else if (begins_like_one_of(command.words, long_ones, met) && !every_figure()) {
      ++not_run["take long"];
    } else {
      ++run;
      compared += command.is_shown ? 1 : 0;
      if (std::string wrong = difference(reader, command); !wrong.empty()) {
        differing.push_back(std::move(wrong));
      }
    }
  }
  std::cout << run << " commands run, " << compared << " of them with what they print, "
            << differing.size() << " differ";
  for (const auto& [why, count] : not_run) std::cout << "; " << count << " " << why;
  std::cout << "\n";
  EXPECT_THAT(differing, IsEmpty());
  EXPECT_EQ(met.size(), left.size() + long_ones.size()) << "some exception is told by no page";
  for (const std::string folder : drawn_in) compare_figures(reader, folder);
}

TEST(DocumentedCommands, CompleteExampleOfAScenarioHolds) {
  const std::string example = example_below(root / "docs/scenarios.md", "## A complete example");
  ASSERT_NE(example, "");
  const Reader reader;
  reader.write("example.yaml", example);
  const Reader::Ended ended = reader.type("nlc scenario example.yaml");
  EXPECT_EQ(ended.output, "1 passed, 0 failed, 0 deviating\n");
  EXPECT_EQ(ended.code, 0);
}

TEST(DocumentedCommands, ScenarioThatIsMisreadIsNamedByFileAndLineAndIsAnErrorOfUsage) {
  const Reader reader;
  reader.write("bad.yaml",
               "cases:\n- id: BAD-1\n  title: Its step comes when nobody knows\n  timeline:\n"
               "  - {at: 10, start: controller}\n  expect: []\n");
  const Reader::Ended ended = reader.type("nlc scenario bad.yaml");
  EXPECT_EQ(ended.output,
            "nlc: bad.yaml:5: 10 found, a duration such as 40s, 1m30s or 500ms expected\n");
  EXPECT_EQ(ended.code, 2);
}

TEST(DocumentedCommands, AreReadWithWhatTheyPrint) {
  const Reader reader;
  const fs::path page =
      reader.write("page.md",
                   "Text.\n\n```console\n$ nlc a \\\n    --b\nout\n\nmore\n$ nlc c\n```\n"
                   "```\nnlc d   # remark\nno command\n```\n"
                   "```yaml\nnlc: e\n```\n1. Do:\n\n       kubectl f\n");
  const std::vector<Command> commands = commands_of(page, "page.md");
  ASSERT_EQ(commands.size(), 4U);
  EXPECT_EQ(commands[0].words, "nlc a --b");
  EXPECT_EQ(commands[0].output, "out\n\nmore\n");
  EXPECT_TRUE(commands[0].is_shown);
  EXPECT_EQ(commands[1].words, "nlc c");
  EXPECT_FALSE(commands[1].is_shown);
  EXPECT_EQ(commands[2].words, "nlc d");
  EXPECT_EQ(commands[3].words, "kubectl f");
  EXPECT_EQ(commands[3].place, "page.md:20");
}

TEST(DocumentedCommands, MayBreakLinesElsewhereAndLeaveOutWhatIsMarked) {
  EXPECT_TRUE(is_told("one two\nthree\n", "one\n  two three"));
  EXPECT_FALSE(is_told("one two\n", "one"));
  EXPECT_FALSE(is_told("one 2\n", "one two"));
  EXPECT_TRUE(is_told("listens on 127.0.0.1:4711\nready\n", "listens on …\nready"));
  EXPECT_FALSE(is_told("listens on 127.0.0.1:4711\n", "listens on …\nready"));
  EXPECT_TRUE(is_told("a b c\n", "a\n…"));
  EXPECT_FALSE(is_told("b c\n", "a\n…"));
}

}  // namespace
}  // namespace nlc::docs

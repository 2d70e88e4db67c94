#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "metrics/metrics.h"
#include "program/flags.h"

/// The pages of docs/ that tell what the program takes and shows.
namespace nlc::program {
namespace {

using Defaults = std::map<std::string, std::string>;

std::ifstream page(const std::string& name) {
  return std::ifstream(std::string(NLC_SOURCE_DIR) + "/docs/" + name);
}

/// Calls `visit` with each match in each line.
template <typename Visit>
void each_match(std::istream&& lines, const std::string& pattern, Visit visit) {
  const std::regex expected(pattern);
  for (std::string line; std::getline(lines, line);) {
    for (std::sregex_iterator match(line.begin(), line.end(), expected), end; match != end;
         ++match) {
      visit(*match);
    }
  }
}

/// `--name TYPE=default …`, or `--name … [default]`.
Defaults flags_of_help() {
  Defaults flags;
  std::string last;
  each_match(std::istringstream(read_command_line({"--help"}).text),
             R"(^  (?:-v,)?--([a-z-]+)(?: [A-Z][^ =]*(?:=(\S+))?)?(?:.*\[(\S+)\]$)?)",
             [&](const std::smatch& match) {
               flags[match[1]] = match[2].matched ? match[2].str() : match[3].str();
             });
  flags.erase("version");
  return flags;
}

/// | `--name` | `default` | …, where words in place of a default are none.
Defaults flags_of_page() {
  Defaults flags;
  each_match(page("flags.md"), R"(^\| (?:`-v`, )?`--([a-z-]+)` \| (?:`([^`]*)`)?)",
             [&](const std::smatch& match) { flags[match[1]] = match[2]; });
  return flags;
}

TEST(FlagsPage, TellsEveryFlagOfTheHelpWithItsDefaultAndNoOther) {
  Defaults help = flags_of_help();
  EXPECT_GT(help.size(), 25U);
  help["feature-gates"] = "";  // the default there is that of a gate
  EXPECT_EQ(flags_of_page(), help);
}

/// With a series of every family.
std::set<std::string> families_exposed() {
  metrics::Metrics metrics("1.2.3");
  (void)metrics.zone("a");
  (void)metrics.election("lock");
  (void)metrics.resource("nodes");
  (void)metrics.watch_restarts("nodes", "closed");
  (void)metrics.writes(metrics::Write::NodeTaints, "ok");
  (void)metrics.observed("taint_added", "agree");
  (void)metrics.observed_lead("taint_added");
  (void)metrics.observed_disagreements("held");
  metrics.requests("GET", "server", 200).add();
  (void)metrics.request_duration("GET", "server");
  std::set<std::string> families;
  each_match(std::istringstream(metrics.exposition()), "^# TYPE (\\S+) ",
             [&](const std::smatch& match) { families.insert(match[1]); });
  return families;
}

TEST(MetricsPage, NamesEveryFamilyThatIsExposedAndNoOther) {
  std::set<std::string> named;
  each_match(page("metrics.md"), "`([a-z]+_[a-z_]+)`",
             [&](const std::smatch& match) { named.insert(match[1]); });
  std::set<std::string> exposed = families_exposed();
  EXPECT_GT(std::erase_if(exposed,
                          [](const std::string& name) {
                            return name.starts_with("process_");  // the page says process_*
                          }),
            0U);
  for (const std::string& family : exposed) EXPECT_TRUE(named.contains(family)) << family;
  const auto is_ours = [](const std::string& name) {
    return name.starts_with("nlc_") || name.ends_with("_total") || name.ends_with("_seconds");
  };
  for (const std::string& name : named) {
    EXPECT_TRUE(!is_ours(name) || exposed.contains(name)) << name;
  }
}

}  // namespace
}  // namespace nlc::program

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "tests/docs/commands.h"
#include "tests/yaml_file.h"

/// The page about `nlc why` shows answers that a controller has given.
namespace nlc::docs {
namespace {

const std::filesystem::path tree = NLC_SOURCE_DIR;

/// Of all questions that the cases of a file of scenarios ask.
std::set<std::string> golden_answers(const std::filesystem::path& scenarios) {
  const yaml::Value file = tests::yaml_file(scenarios);
  std::set<std::string> answers;
  for (const yaml::Value& one : file["cases"].list) {
    for (const yaml::Value& expected : one["expect"].list) {
      for (const yaml::Value& claim : expected["that"].list) {
        const yaml::Value& text = claim["why"]["text"];
        if (text.is_text()) answers.insert(text.text);
      }
    }
  }
  return answers;
}

TEST(WhyPage, EveryAnswerBehindACommandIsAGoldenOneWordForWord) {
  const std::set<std::string> golden = golden_answers(tree / "tests/scenarios/why.yaml");
  std::size_t answers = 0;
  for (const Command& command : commands_of(tree / "docs/why.md", "docs/why.md")) {
    if (!command.is_shown || !command.words.starts_with("kubectl nlc why")) continue;
    ++answers;
    EXPECT_THAT(golden, testing::Contains(command.output)) << command.place;
  }
  EXPECT_GE(answers, 9U) << "examples are no longer found on the page";
}

}  // namespace
}  // namespace nlc::docs

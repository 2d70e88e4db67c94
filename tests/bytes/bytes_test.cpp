#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "readers.h"

namespace nlc::bytes {
namespace {

namespace fs = std::filesystem;

struct Input {
  Reader reader;
  fs::path file;
};

std::vector<Input> inputs_in(const std::string& kind) {
  std::vector<Input> inputs;
  for (const Reader& reader : readers()) {
    const fs::path folder = fs::path(NLC_SOURCE_DIR) / "tests/bytes" / kind / reader.name;
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) inputs.push_back({reader, entry});
  }
  std::ranges::sort(inputs, {}, &Input::file);
  return inputs;
}

std::string name_of(const testing::TestParamInfo<Input>& input) {
  std::string name = std::string(input.param.reader.name) + "_" + input.param.file.stem().string();
  std::ranges::replace_if(
      name, [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; }, '_');
  return name;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class BytesFromOutside : public testing::TestWithParam<Input> {};

TEST_P(BytesFromOutside, BreakNoRuleOfTheirReader) {
  const std::string bytes = text_of(GetParam().file);
  EXPECT_NO_THROW(GetParam().reader.read(bytes)) << GetParam().file;
}

INSTANTIATE_TEST_SUITE_P(Corpus, BytesFromOutside, testing::ValuesIn(inputs_in("corpus")), name_of);
INSTANTIATE_TEST_SUITE_P(Crashes, BytesFromOutside, testing::ValuesIn(inputs_in("crashes")),
                         name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BytesFromOutside);

TEST(BytesOfEveryReader, HaveExamples) {
  for (const Reader& reader : readers()) {
    const fs::path folder = fs::path(NLC_SOURCE_DIR) / "tests/bytes/corpus" / reader.name;
    EXPECT_TRUE(fs::exists(folder) && !fs::is_empty(folder)) << folder;
  }
}

TEST(BytesOfEveryReader, MayBeNoneAtAll) {
  for (const Reader& reader : readers()) EXPECT_NO_THROW(reader.read("")) << reader.name;
}

}  // namespace
}  // namespace nlc::bytes

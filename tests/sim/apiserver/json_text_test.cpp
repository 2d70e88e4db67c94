#include "sim/apiserver/types/json_text.h"

#include <gtest/gtest.h>
#include <string>

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

std::string written(const Json& tree) {
  return tree.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename Read>
std::string complaint(Read read) {
  try {
    const Json tree = read();
    return {};
  } catch (const Json::exception& problem) {
    return problem.what();
  }
}

TEST(JsonText, ReadsWhatTheOtherReaderReads) {
  for (const std::string text :
       {R"({"b":1,"a":{"c":[true,false,null,"x"]},"":{}})", R"({"same":1,"same":{"last":"wins"}})",
        "0", "-0", "-7", "18446744073709551615", "18446744073709551616", "-9223372036854775808",
        "1.0", "-0.0", "1e3", "0.1", " [ ] ", R"("\u00e4\ud83d\ude00\n\"\\\/")", "\"ä\x7f\"",
        "null"}) {
    const Json expected = Json::parse(text);
    const Json read = parse_json(text);
    EXPECT_EQ(read, expected) << text;
    EXPECT_EQ(written(read), written(expected)) << text;
    EXPECT_EQ(read.is_number_float(), expected.is_number_float()) << text;
  }
}

TEST(JsonText, RefusesWhatTheOtherReaderRefusesInTheSameWords) {
  for (const std::string text : {"", "{", "[1,]", "{a:1}", "1e400", "01", "nul", "\"\xff\"",
                                 R"("\ud800")", R"("\udc00")", "\"\n\"", "{} {}"}) {
    const std::string why = complaint([&text] { return Json::parse(text); });
    EXPECT_NE(why, "") << text;
    EXPECT_EQ(complaint([&text] { return parse_json(text); }), why) << text;
  }
}

}  // namespace
}  // namespace nlc::sim

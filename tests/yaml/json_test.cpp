#include "yaml/json.h"

#include <gtest/gtest.h>

namespace nlc::yaml {
namespace {

using Json = nlohmann::json;

Json of(std::string_view text) { return json_of(read(text)); }

TEST(YamlAsJson, PlainWordsOfTruthAndNothingAreTyped) {
  EXPECT_EQ(of("[true, True, TRUE, yes, On]"), Json({true, true, true, true, true}));
  EXPECT_EQ(of("[false, No, off]"), Json({false, false, false}));
  EXPECT_EQ(of("[null, Null, ~, ]"), Json({nullptr, nullptr, nullptr}));
}

TEST(YamlAsJson, PlainNumbersAreTyped) {
  EXPECT_EQ(of("[0, 17, -17, +17, 1_000]"), Json({0, 17, -17, 17, 1000}));
  EXPECT_EQ(of("[0x1F, -0x10, 017, 0o17, 0b11]"), Json({31, -16, 15, 15, 3}));
  EXPECT_EQ(of("[0.5, .5, -1., 1e3, 08]"), Json({0.5, 0.5, -1.0, 1000.0, 8.0}));
  EXPECT_EQ(of("18446744073709551615"), Json(18446744073709551615ULL));
  EXPECT_EQ(of("9223372036854775808").type(), Json::value_t::number_unsigned);
}

TEST(YamlAsJson, EverythingElseIsText) {
  for (const std::string text :
       {"y",     "n",        "tRUE", "yEs",   "2026-01-01", "2026-01-01T00:00:00Z",
        "1.2.3", "10.0.0.1", ".",    "1e999", ".inf",       ".nan",
        "0x",    "0xg",      "0b2",  "0x-1",  "1-2",        "5s",
        "100m",  "--5",      "e5"}) {
    EXPECT_EQ(of("a: " + text)["a"], Json(text)) << text;
  }
}

TEST(YamlAsJson, WhatIsQuotedOrTaggedOrInABlockIsText) {
  EXPECT_EQ(of("['true', \"1\", !!str 1, '']"), Json({"true", "1", "1", ""}));
  EXPECT_EQ(of("|\n  1\n"), Json("1\n"));
}

TEST(YamlAsJson, MapsAndListsAreObjectsAndArrays) {
  EXPECT_EQ(of("{a: [1, {b: x}], 1: {}, c: }"),
            (Json{{"a", {1, {{"b", "x"}}}}, {"1", Json::object()}, {"c", nullptr}}));
  EXPECT_EQ(json_of(read("{a: 1, a: 2}", Decoding::Lenient)), (Json{{"a", 2}}));
}

}  // namespace
}  // namespace nlc::yaml

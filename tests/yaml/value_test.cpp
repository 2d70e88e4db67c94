#include "yaml/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nlc::yaml {
namespace {

using ::testing::HasSubstr;

/// "LINE: words", or nothing of what can be read.
std::string refusal_of(std::string_view text, Decoding decoding = Decoding::Strict) {
  try {
    (void)read(text, decoding);
    return "";
  } catch (const Malformed& found) {
    return std::to_string(found.line) + ": " + found.words;
  }
}

TEST(Yaml, ValuesAreFoundByTheirKeysAndKnowTheirLines) {
  const Value root = read("a:\n  b: [x, 'y']\n");
  const Value& list = root["a"]["b"];
  ASSERT_TRUE(list.is_list());
  EXPECT_EQ(list.line, 2);
  EXPECT_EQ(list.list[0].text, "x");
  EXPECT_FALSE(list.list[0].quoted);
  EXPECT_TRUE(list.list[1].quoted);
  EXPECT_FALSE(root["a"]["c"]["d"].is_defined());
  EXPECT_TRUE(read("").is_null());
}

TEST(Yaml, AnAliasIsTakenForWhatItStandsFor) {
  const Value root = read("a: &all {b: 1}\nc: *all\n");
  EXPECT_EQ(root["c"]["b"].text, "1");
}

TEST(Yaml, WhatIsNoYamlIsRefusedWithItsLine) {
  EXPECT_THAT(refusal_of("a: 1\nb: [1, }\n"), HasSubstr("2: not valid YAML: "));
  EXPECT_EQ(refusal_of("a: x\nb: \xff\n"), "2: not valid YAML: invalid leading UTF-8 octet");
  EXPECT_EQ(refusal_of("a: 1\n? [b]\n: 2\n"), "2: a key that is no text found, a text expected");
}

TEST(Yaml, AKeyGivenTwiceIsRefusedUnlessDecodingIsLenientAndThenTheLastCounts) {
  const std::string_view twice = "a: 1\nb: 2\na: 3\n";
  EXPECT_EQ(refusal_of(twice),
            "3: the key \"a\" found a second time, one expected (line 1 has it)");
  const Value root = read(twice, Decoding::Lenient);
  EXPECT_EQ(root["a"].text, "3");
}

TEST(Yaml, ASecondDocumentIsRefusedUnlessDecodingIsLenientAndThenLeftUnread) {
  const std::string_view two = "a: 1\n---\na: 2\n";
  EXPECT_EQ(refusal_of(two), "3: a second document found, one expected");
  const Value root = read(two, Decoding::Lenient);
  EXPECT_EQ(root["a"].text, "1");
}

TEST(Yaml, NestingIsBounded) {
  EXPECT_EQ(refusal_of(std::string(64, '[') + std::string(64, ']')), "");
  EXPECT_EQ(refusal_of(std::string(100'000, '[')),
            "1: nesting deeper than 64 levels found, fewer expected");
}

/// Lists of ten aliases, each to the list before it.
std::string aliases_of_aliases(const std::string& first) {
  std::string text = "- &a0 " + first + "\n";
  for (int i = 1; i < 10; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    text += "- &a" + std::to_string(i) + " [" + alias;
    for (int j = 1; j < 10; ++j) text += ", " + alias;
    text += "]\n";
  }
  return text;
}

TEST(Yaml, WhatAliasesStandForIsBounded) {
  for (const Decoding decoding : {Decoding::Strict, Decoding::Lenient}) {
    EXPECT_EQ(refusal_of("a: &all [*all]\n", decoding),
              "1: the alias *all found, one of a value that ends before it expected");
    EXPECT_THAT(refusal_of(aliases_of_aliases("x"), decoding),
                HasSubstr("more than 1000000 values found"));
    EXPECT_THAT(refusal_of(aliases_of_aliases(std::string(100'000, 'x')), decoding),
                HasSubstr("more than 16 MiB of text by aliases found"));
  }
}

/// Each is kept for aliases that may come.
TEST(Yaml, AnchorsWithinAnchorsAreBounded) {
  std::string text = "x";
  for (int i = 0; i < 30; ++i) text = "&a" + std::to_string(i) + " [" + text + "]";
  EXPECT_EQ(refusal_of(text), "");
  text = "'" + std::string(1 << 20, 'x') + "'";
  for (int i = 0; i < 30; ++i) text = "&a" + std::to_string(i) + " [" + text + "]";
  EXPECT_THAT(refusal_of(text), HasSubstr("more than 16 MiB of text by aliases found"));
}

}  // namespace
}  // namespace nlc::yaml

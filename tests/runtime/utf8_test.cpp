#include "runtime/utf8.h"

#include <gtest/gtest.h>

namespace nlc {
namespace {

TEST(Utf8, WhatSteersATerminalIsNotShown) {
  const std::string steering =
      "a\x1b[2J\x7f\xc2\x9b"
      "b\xc3\xa4\n";
  EXPECT_EQ(without_controls(steering), "a [2J  b\xc3\xa4\n");
  EXPECT_EQ(one_line(steering), "a [2J  b\xc3\xa4 ");
}

TEST(Utf8, WhatFitsLacksNoMiddle) {
  EXPECT_EQ(without_middle("abcd", 4), "abcd");
  EXPECT_EQ(without_middle("abcde", 4), "ab… (5 bytes) …de");
}

TEST(Utf8, AnErrorKeepsItsBeginningAndItsEndHoweverLongItIs) {
  EXPECT_EQ(error_line("f:1: \tx found"), "f:1:  x found");
  std::string umlauts;
  for (int i = 0; i < 100'000; ++i) umlauts += "\xc3\xa4";
  for (const char* begin : {"f:1: ", "f:10: "}) {
    const std::string line = error_line(begin + umlauts + " found, a number expected");
    EXPECT_TRUE(line.starts_with(begin + std::string("\xc3\xa4")));
    EXPECT_TRUE(line.ends_with("\xc3\xa4 found, a number expected"));
    EXPECT_LT(line.size(), 1'100U);
    EXPECT_NE(line.find("\xc3\xa4… (2000"), std::string::npos) << line;
    EXPECT_NE(line.find(" bytes) …\xc3\xa4"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace nlc

#include "runtime/go_duration.h"

#include <gtest/gtest.h>

namespace nlc {
namespace {

using namespace std::chrono_literals;

TEST(GoDuration, ReadsWhatKubernetesFlagsAccept) {
  EXPECT_EQ(parse_go_duration("40s"), 40s);
  EXPECT_EQ(parse_go_duration("1m30s"), 90s);
  EXPECT_EQ(parse_go_duration("1.5h"), 90min);
  EXPECT_EQ(parse_go_duration("250ms"), 250ms);
  EXPECT_EQ(parse_go_duration("3us"), 3us);
  EXPECT_EQ(parse_go_duration("3\u00b5s"), 3us);
  EXPECT_EQ(parse_go_duration(".5s"), 500ms);
  EXPECT_EQ(parse_go_duration("-5s"), -5s);
  EXPECT_EQ(parse_go_duration("0"), 0s);
}

TEST(GoDuration, LongestAreReadToTheNanosecond) {
  EXPECT_EQ(parse_go_duration("2501h0m0.000000001s"), 2501h + 1ns);
  EXPECT_EQ(parse_go_duration("2562047h47m16.854775807s"), Duration::max());
  EXPECT_EQ(parse_go_duration("2562047h47m16.854775808s"), std::nullopt);
  EXPECT_EQ(parse_go_duration("-2562047h47m16.854775808s"), Duration::min());
  EXPECT_EQ(parse_go_duration("18446744073709551616ns"), std::nullopt);
}

TEST(GoDuration, WhatIsLessThanANanosecondIsCutOff) {
  EXPECT_EQ(parse_go_duration("0.0000000019s"), 1ns);
}

TEST(GoDuration, WhatIsWrittenReadsTheSame) {
  for (const Duration span : {Duration::max(), Duration::min(), 2501h + 1ns, 60s + 1ns, 1ns, 999ns,
                              1ms - 1ns, 1s - 1ns, -1001ns}) {
    EXPECT_EQ(parse_go_duration(go_duration(span)), span) << go_duration(span);
  }
}

TEST(GoDuration, RefusesWhatIsNoDuration) {
  for (const char* text :
       {"", "banana", "40", "s", "1x", "1s2", "1 s", "--1s", "1e3s", "99999999h"}) {
    EXPECT_EQ(parse_go_duration(text), std::nullopt) << text;
  }
}

TEST(GoDuration, WritesTheShortestForm) {
  EXPECT_EQ(go_duration(90s), "1m30s");
  EXPECT_EQ(go_duration(40s), "40s");
  EXPECT_EQ(go_duration(1h), "1h0m0s");
  EXPECT_EQ(go_duration(1500ms), "1.5s");
  EXPECT_EQ(go_duration(250ms), "250ms");
  EXPECT_EQ(go_duration(-5s), "-5s");
  EXPECT_EQ(go_duration(0s), "0s");
  EXPECT_EQ(go_duration(60s + 1ns), "1m0.000000001s");
}

}  // namespace
}  // namespace nlc

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
}

}  // namespace
}  // namespace nlc

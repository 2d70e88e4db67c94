#include "runtime/time.h"

#include <gtest/gtest.h>

namespace nlc {
namespace {

using namespace std::chrono_literals;

const WallTime noon =
    WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 2}} + 3h + 4min + 5s + 6us;

TEST(Rfc3339, TimeHasWholeSecondsAndMicroTimeHasSixDigits) {
  EXPECT_EQ(rfc3339(noon), "2026-01-02T03:04:05Z");
  EXPECT_EQ(rfc3339_micro(noon), "2026-01-02T03:04:05.000006Z");
}

TEST(Rfc3339, WhatWasWrittenIsReadBack) {
  EXPECT_EQ(parse_rfc3339(rfc3339_micro(noon)), noon);
  EXPECT_EQ(parse_rfc3339(rfc3339(noon)), noon - 6us);
}

TEST(Rfc3339, AnyNumberOfFractionalDigitsIsAccepted) {
  EXPECT_EQ(parse_rfc3339("2026-01-02T03:04:05.1Z"), noon - 6us + 100ms);
  EXPECT_EQ(parse_rfc3339("2026-01-02T03:04:05.000006999Z"), noon);
}

TEST(Rfc3339, OffsetsAreTakenIntoAccount) {
  EXPECT_EQ(parse_rfc3339("2026-01-02T05:04:05.000006+02:00"), noon);
  EXPECT_EQ(parse_rfc3339("2026-01-01T22:04:05.000006-05:00"), noon);
}

TEST(Rfc3339, TextThatIsNoTimestampIsNothing) {
  for (const char* text : {"", "null", "2026-01-02", "2026-13-02T03:04:05Z", "2026-02-30T03:04:05Z",
                           "2026-01-02T24:04:05Z", "2026-01-02T03:04:05", "2026-01-02T03:04:05.Z",
                           "2026-01-02T03:04:05Zjunk", "-026-01-02T03:04:05Z",
                           "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+01:60"}) {
    EXPECT_EQ(parse_rfc3339(text), std::nullopt) << text;
  }
}

TEST(Rfc3339, WhatAnOffsetPutsIntoAYearThatCannotBeWrittenIsNothing) {
  EXPECT_EQ(parse_rfc3339("0000-01-01T00:00:00+01:00"), std::nullopt);
  EXPECT_EQ(parse_rfc3339("9999-12-31T23:59:59-01:00"), std::nullopt);
  EXPECT_EQ(parse_rfc3339("9999-12-31T23:59:60Z"), std::nullopt);
  EXPECT_TRUE(parse_rfc3339("9999-12-31T23:59:59.999999Z"));
  EXPECT_TRUE(parse_rfc3339("0000-01-01T00:00:00Z"));
}

TEST(Rfc3339, TimesBeforeTheEpochAreDates) {
  const std::optional<WallTime> moon = parse_rfc3339("1969-07-20T20:17:40Z");
  ASSERT_TRUE(moon);
  EXPECT_EQ(rfc3339(*moon), "1969-07-20T20:17:40Z");
}

}  // namespace
}  // namespace nlc

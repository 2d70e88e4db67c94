#include "client/limits/flights.h"

#include <gtest/gtest.h>

namespace nlc::client {
namespace {

using namespace std::chrono_literals;

const Instant takeoff{1h};

int overdue(const Flights& flights, RequestKind kind, Instant now) {
  return flights.overdue(now).of(kind);
}

TEST(Flights, AreOverdueAfterASecondEachOfItsPriorityAndTry) {
  Flights flights;
  flights.sent({RequestPriority::Read}, takeoff);
  flights.sent({RequestPriority::Read}, takeoff + 10ms);
  flights.sent({RequestPriority::Read, Try::Again}, takeoff + 20ms);
  EXPECT_EQ(overdue(flights, {RequestPriority::Read}, takeoff + 999ms), 0);
  EXPECT_EQ(overdue(flights, {RequestPriority::Read}, takeoff + 1s), 1);
  EXPECT_EQ(overdue(flights, {RequestPriority::Read}, takeoff + 1min), 2);
  EXPECT_EQ(overdue(flights, {RequestPriority::Read, Try::Again}, takeoff + 1min), 1);
  EXPECT_EQ(overdue(flights, {RequestPriority::NodeWrite}, takeoff + 1min), 0);
}

TEST(Flights, ThatWereAnsweredAreOverNoMatterInWhichOrder) {
  Flights flights;
  for (const Duration later : {0ms, 0ms, 10ms, 20ms}) {
    flights.sent({RequestPriority::Read}, takeoff + later);
  }
  flights.answered({RequestPriority::Read}, takeoff + 10ms);
  flights.answered({RequestPriority::Read}, takeoff);
  EXPECT_EQ(overdue(flights, {RequestPriority::Read}, takeoff + 1010ms), 1);
  EXPECT_EQ(overdue(flights, {RequestPriority::Read}, takeoff + 1020ms), 2);
}

TEST(Flights, TellWhenTheNextIsOverdue) {
  Flights flights;
  EXPECT_EQ(flights.next_overdue(takeoff), std::nullopt);
  flights.sent({RequestPriority::Read}, takeoff);
  flights.sent({RequestPriority::Event, Try::Again}, takeoff + 10ms);
  EXPECT_EQ(flights.next_overdue(takeoff + 10ms), takeoff + 1s);
  EXPECT_EQ(flights.next_overdue(takeoff + 1s), takeoff + 1010ms);
  EXPECT_EQ(flights.next_overdue(takeoff + 2s), std::nullopt);
}

}  // namespace
}  // namespace nlc::client

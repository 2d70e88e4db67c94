#include "client/flights.h"

#include <gtest/gtest.h>

namespace nlc::client {
namespace {

using namespace std::chrono_literals;

const Instant start{1h};

int overdue(const Flights& flights, RequestPriority priority, Try attempt, Instant now) {
  return flights.overdue(now).of(priority, attempt);
}

TEST(Flights, AreOverdueAfterASecondEachOfItsPriorityAndTry) {
  Flights flights;
  flights.sent(RequestPriority::Read, Try::First, start);
  flights.sent(RequestPriority::Read, Try::First, start + 10ms);
  flights.sent(RequestPriority::Read, Try::Again, start + 20ms);
  EXPECT_EQ(overdue(flights, RequestPriority::Read, Try::First, start + 999ms), 0);
  EXPECT_EQ(overdue(flights, RequestPriority::Read, Try::First, start + 1s), 1);
  EXPECT_EQ(overdue(flights, RequestPriority::Read, Try::First, start + 1min), 2);
  EXPECT_EQ(overdue(flights, RequestPriority::Read, Try::Again, start + 1min), 1);
  EXPECT_EQ(overdue(flights, RequestPriority::NodeWrite, Try::First, start + 1min), 0);
}

TEST(Flights, ThatWereAnsweredAreOverNoMatterInWhichOrder) {
  Flights flights;
  for (const Duration later : {0ms, 0ms, 10ms, 20ms}) {
    flights.sent(RequestPriority::Read, Try::First, start + later);
  }
  flights.answered(RequestPriority::Read, Try::First, start + 10ms);
  flights.answered(RequestPriority::Read, Try::First, start);
  EXPECT_EQ(overdue(flights, RequestPriority::Read, Try::First, start + 1010ms), 1);
  EXPECT_EQ(overdue(flights, RequestPriority::Read, Try::First, start + 1020ms), 2);
}

TEST(Flights, TellWhenTheNextIsOverdue) {
  Flights flights;
  EXPECT_EQ(flights.next_overdue(start), std::nullopt);
  flights.sent(RequestPriority::Read, Try::First, start);
  flights.sent(RequestPriority::Event, Try::Again, start + 10ms);
  EXPECT_EQ(flights.next_overdue(start + 10ms), start + 1s);
  EXPECT_EQ(flights.next_overdue(start + 1s), start + 1010ms);
  EXPECT_EQ(flights.next_overdue(start + 2s), std::nullopt);
}

}  // namespace
}  // namespace nlc::client

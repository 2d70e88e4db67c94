#include "client/event_recorder.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "metrics/metrics.h"
#include "sim/virtual_time.h"
#include "tests/client/held_transport.h"
#include "tests/memory_log.h"

namespace nlc::client {
namespace {

using namespace std::chrono_literals;

const WallTime midday{std::chrono::sys_days{std::chrono::year{2026} / 1 / 2} + 12h};

class EventRecorderTest : public ::testing::Test {
 protected:
  void record(const std::string& node = "n", const std::string& message = "it fell silent") {
    recorder.record({.kind = "Node", .name = node, .uid = "u-" + node},
                    {.reason = "NodeNotReady", .message = message});
  }
  const Request& last() const { return transport.sent.back().request; }
  nlohmann::json last_body() const { return nlohmann::json::parse(last().body); }
  /// The moment in the name of the last event, in nanoseconds.
  std::uint64_t last_named() const {
    const std::string name = last_body().at("metadata").at("name");
    return std::stoull(name.substr(name.rfind('.') + 1), nullptr, 16);
  }
  /// Events of so many objects that had none before, all of them delivered.
  void record_others(int count) {
    for (int i = 0; i < count; ++i) {
      record("other-" + std::to_string(++others));
      transport.answer_last(201, "{}");
    }
  }

  sim::VirtualTime time{midday};
  tests::MemoryLog log;
  metrics::Metrics metrics{"test"};
  HeldTransport transport;
  int others = 0;
  EventRecorder recorder{{transport, time, log, metrics.events_dropped()}, "node-controller"};
};

TEST_F(EventRecorderTest, FirstOccurrenceIsCreatedInTheDefaultNamespaceOfANode) {
  record();
  EXPECT_EQ(last().method, "POST");
  EXPECT_EQ(last().target, "/api/v1/namespaces/default/events");
  const nlohmann::json body = last_body();
  EXPECT_EQ(body.at("involvedObject").at("uid"), "u-n");
  EXPECT_EQ(body.at("count"), 1);
  EXPECT_EQ(body.at("source").at("component"), "node-controller");
  EXPECT_EQ(body.at("reportingComponent"), "node-controller");
  EXPECT_EQ(body.at("firstTimestamp"), "2026-01-02T12:00:00Z");
}

TEST_F(EventRecorderTest, PodsEventStandsInThePodsNamespace) {
  recorder.record({.kind = "Pod", .namespace_ = "shop", .name = "p"}, {.reason = "R"});
  EXPECT_EQ(last().target, "/api/v1/namespaces/shop/events");
}

TEST_F(EventRecorderTest, WhatHappensAgainIsCountedOnTheEventThatIsThere) {
  record();
  const std::string name = last_body().at("metadata").at("name");
  transport.answer_last(201, "{}");
  time.run_for(1h);
  record();
  EXPECT_EQ(last().method, "PATCH");
  EXPECT_EQ(last().target, "/api/v1/namespaces/default/events/" + name);
  EXPECT_EQ(last_body().at("count"), 2);
  EXPECT_EQ(last_body().at("lastTimestamp"), "2026-01-02T13:00:00Z");
}

TEST_F(EventRecorderTest, EventThatHasExpiredIsCreatedAnewWithItsCount) {
  record();
  transport.answer_last(201, "{}");
  record();
  transport.answer_last(404, "{}");
  EXPECT_EQ(last().method, "POST");
  EXPECT_EQ(last_body().at("count"), 2);
}

TEST_F(EventRecorderTest, OtherObjectsAndMessagesAreOtherEvents) {
  record("n");
  record("m");
  record("n", "something else");
  EXPECT_EQ(transport.sent.size(), 3U);
  for (const auto& held : transport.sent) EXPECT_EQ(held.request.method, "POST");
}

TEST_F(EventRecorderTest, TwoEventsInOneMicrosecondHaveTwoNames) {
  record("n", "a");
  const std::string first = last_body().at("metadata").at("name");
  record("n", "b");
  EXPECT_NE(last_body().at("metadata").at("name"), first);
}

TEST_F(EventRecorderTest, NameHoldsTheMicrosecondAndWhichEventThisIsBelowIt) {
  record("n", "a");
  EXPECT_EQ(last_named(), static_cast<std::uint64_t>(midday.time_since_epoch().count()) * 1000);
  record("n", "b");
  EXPECT_EQ(last_named(), static_cast<std::uint64_t>(midday.time_since_epoch().count()) * 1000 + 1);
}

constexpr std::string_view combined = "(combined from similar events): ";

TEST_F(EventRecorderTest, TenThatDifferInTheirMessageOnlyAreCombined) {
  for (int i = 0; i < 9; ++i) record("n", std::to_string(i));
  EXPECT_EQ(last_body().at("message"), "8");
  record("n", "9");
  EXPECT_EQ(last().method, "POST");
  EXPECT_EQ(last_body().at("message"), std::string(combined) + "9");
  EXPECT_EQ(last_body().at("count"), 1);
  record("n", "10");
  EXPECT_EQ(last().method, "PATCH");
  EXPECT_EQ(last_body().at("message"), std::string(combined) + "10");
  EXPECT_EQ(last_body().at("count"), 2);
}

TEST_F(EventRecorderTest, OneOfTenThatWereCombinedIsCountedByItselfWhenItHappensAgain) {
  for (int i = 0; i < 10; ++i) record("n", std::to_string(i));
  record("n", "5");
  EXPECT_EQ(last().method, "PATCH");
  EXPECT_EQ(last_body().at("message"), "5");
  EXPECT_EQ(last_body().at("count"), 2);
}

TEST_F(EventRecorderTest, OfALongMessageTheBeginningIsKept) {
  record("n", std::string(100000, 'x'));
  EXPECT_LT(last_body().at("message").get<std::string>().size(), 1100U);
}

TEST_F(EventRecorderTest, EventsOfOtherObjectsAreNotCombined) {
  for (int i = 0; i < 9; ++i) record("n", std::to_string(i));
  record("m", "9");
  EXPECT_EQ(last_body().at("message"), "9");
}

TEST_F(EventRecorderTest, EqualEventsAreCountedAndNeverCombined) {
  for (int i = 0; i < 11; ++i) {
    record();
    time.run_for(30s);
  }
  EXPECT_EQ(last_body().at("count"), 11);
  EXPECT_EQ(last_body().at("message"), "it fell silent");
}

TEST_F(EventRecorderTest, EventsThatComeSeldomAreNotCombined) {
  for (int i = 0; i < 15; ++i) {
    record("n", std::to_string(i));
    EXPECT_EQ(last_body().at("message"), std::to_string(i));
    time.run_for(600s);
  }
}

TEST_F(EventRecorderTest, WhatIsThrottledIsCountedAllTheSame) {
  for (int i = 0; i < 30; ++i) record();
  EXPECT_EQ(last_body().at("count"), 25);
  EXPECT_EQ(metrics.events_dropped().value(), 5);
  time.run_for(300s);
  record();
  EXPECT_EQ(last_body().at("count"), 31);
}

TEST_F(EventRecorderTest, ChattyObjectIsThrottledAndOthersAreNot) {
  for (int i = 0; i < 30; ++i) record("n", std::to_string(i));
  EXPECT_EQ(transport.sent.size(), 25U);
  EXPECT_EQ(metrics.events_dropped().value(), 5);
  record("m");
  EXPECT_EQ(transport.sent.size(), 26U);
  time.run_for(300s);
  record("n", "later");
  EXPECT_EQ(transport.sent.size(), 27U);
}

TEST_F(EventRecorderTest, ObjectThatIsMadeAnewUnderItsNameHasAnAllowanceOfItsOwn) {
  const auto record_as = [&](const std::string& uid, int message) {
    recorder.record({.kind = "Node", .name = "n", .uid = uid},
                    {.reason = "NodeNotReady", .message = std::to_string(message)});
  };
  for (int i = 0; i < 30; ++i) record_as("before", i);
  EXPECT_EQ(transport.sent.size(), 25U);
  record_as("after", 0);
  EXPECT_EQ(transport.sent.size(), 26U);
}

TEST_F(EventRecorderTest, RefusedEventIsCountedAsDroppedAndNotRepeated) {
  record();
  transport.answer_last(403, "{}");
  EXPECT_EQ(metrics.events_dropped().value(), 1);
  EXPECT_EQ(log.count("event not delivered"), 1U);
  EXPECT_EQ(transport.sent.size(), 1U);
}

TEST_F(EventRecorderTest, RefusedCountOfAnEventIsDroppedAsWell) {
  record();
  transport.answer_last(201, "{}");
  record();
  transport.answer_last(403, "{}");
  EXPECT_EQ(metrics.events_dropped().value(), 1);
  EXPECT_EQ(transport.sent.size(), 2U);
}

TEST_F(EventRecorderTest, OfMoreThanFourThousandEventsTheOneThatWasLongestQuietIsForgotten) {
  record("first");
  record("second");
  record_others(4094);
  record("first");
  EXPECT_EQ(last_body().at("count"), 2) << "there was room for all of them";
  record_others(1);
  record("second");
  EXPECT_EQ(last().method, "POST");
  record("first");
  EXPECT_EQ(last_body().at("count"), 3);
  record("second");
  EXPECT_EQ(last_body().at("count"), 2) << "it is known again";
}

TEST_F(EventRecorderTest, FourThousandObjectsAreCombinedAndThrottledEachByWhatItDid) {
  for (int i = 0; i < 9; ++i) record("varied", std::to_string(i));
  for (int i = 0; i < 25; ++i) record("chatty");
  record_others(4094);
  record("varied", "9");
  EXPECT_EQ(last_body().at("message"), std::string(combined) + "9");
  const std::size_t sent = transport.sent.size();
  record("chatty");
  EXPECT_EQ(transport.sent.size(), sent);
}

TEST_F(EventRecorderTest, NoMoreThanAThousandWait) {
  for (int i = 0; i < 1100; ++i) record("n" + std::to_string(i));
  EXPECT_EQ(transport.sent.size(), 1000U);
  EXPECT_EQ(metrics.events_dropped().value(), 100);
}

}  // namespace
}  // namespace nlc::client

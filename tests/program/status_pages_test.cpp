#include "program/status_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/virtual_time.h"
#include "tests/controller/objects.h"
#include "tests/controller/whole_path.h"
#include "tests/program/callers.h"

namespace nlc::program {
namespace {

using namespace controller::testing;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;

using controller::why::Answer;
using controller::why::Question;
using tests::CountedReply;
using tests::Kept;
using tests::StuckExecutor;

class StatusPagesTest : public ::testing::Test {
 protected:
  Subscription ask(Kept& kept, std::string target, std::string method = "GET",
                   std::string host = "127.0.0.1:10291") {
    return pages.serve(
        {.method = std::move(method), .target = std::move(target), .host = std::move(host)},
        std::make_unique<CountedReply>(kept));
  }
  client::Response page(std::string target, std::string method = "GET",
                        std::string host = "127.0.0.1:10291") {
    Kept kept;
    const Subscription asking = ask(kept, std::move(target), std::move(method), std::move(host));
    time.run_for(1s);
    EXPECT_EQ(kept.answers, 1);
    return kept.response;
  }

  sim::VirtualTime time{noon};
  StuckExecutor controller{time};
  int explained = 0;
  std::optional<controller::observe::Record> observed;
  StatusPages pages{{.controller = controller, .port = time, .clock = time},
                    {.explain =
                         [this](const Question& question) {
                           ++explained;
                           Answer answer{.about = question, .known = question.name != "gone"};
                           answer.state = "healthy";
                           answer.is = "as asked";
                           return answer;
                         },
                     .observed = [this] { return observed; }}};
};

TEST_F(StatusPagesTest, AnswersAsJsonAndAsTextWhereThatIsAskedFor) {
  EXPECT_EQ(page("/v1/why/node/a").status, 200);
  EXPECT_EQ(page("/v1/why/node/a").content_type, "application/json");
  EXPECT_THAT(page("/v1/why/node/a").body, HasSubstr("\"state\": \"healthy\""));
  EXPECT_THAT(page("/v1/why/node/a?output=text").body, HasSubstr("node a: healthy"));
  EXPECT_EQ(page("/v1/why/node/a?output=yaml").status, 400);
}

TEST_F(StatusPagesTest, WhatIsNotThereIsAnswered404WithWhatIsKnown) {
  EXPECT_EQ(page("/v1/why/node/gone").status, 404);
  EXPECT_THAT(page("/v1/why/node/gone").body, HasSubstr("as asked"));
  EXPECT_EQ(page("/v2").status, 404);
  EXPECT_THAT(page("/v2").body, HasSubstr("/v1/why/pod/NAMESPACE/NAME"));
}

TEST_F(StatusPagesTest, WhatIsObservedIsToldAsJsonAndAsATable) {
  observed.emplace();
  EXPECT_EQ(page("/v1/observe").content_type, "application/json");
  EXPECT_THAT(page("/v1/observe").body, HasSubstr("\"conditions_unknown\""));
  EXPECT_THAT(page("/v1/observe?output=text").body, HasSubstr("only theirs"));
}

TEST_F(StatusPagesTest, WhoActsSaysThatHeObservesNothing) {
  EXPECT_EQ(page("/v1/observe").status, 404);
  EXPECT_THAT(page("/v1/observe").body, HasSubstr("--observe"));
}

TEST_F(StatusPagesTest, NothingButReadingIsServed) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    EXPECT_EQ(page("/v1/why", method).status, 405) << method;
  }
  EXPECT_EQ(page("/v1/why", "HEAD").status, 200);
}

TEST_F(StatusPagesTest, ForeignHostIsRefusedBeforeAnybodyIsAsked) {
  for (const char* host : {"evil.example", "evil.example:10291", "localhost.evil.example",
                           "127.0.0.1.evil.example:10291", "[evil", "[evil.example]", "[::1]x"}) {
    EXPECT_EQ(page("/v1/why", "GET", host).status, 403) << host;
  }
  EXPECT_EQ(explained, 0);
  for (const char* host :
       {"localhost:8080", "LocalHost", "127.0.0.1", "10.0.0.7:10291", "[::1]:10291", ""}) {
    EXPECT_EQ(page("/v1/why", "GET", host).status, 200) << host;
  }
}

TEST_F(StatusPagesTest, StuckControllerIsToldInTimeAndAskedOnce) {
  controller.stuck = true;
  std::vector<Kept> kept(5);
  std::vector<Subscription> asking;
  for (Kept& one : kept) asking.push_back(ask(one, "/v1/why"));
  time.run_for(StatusPages::time_out);
  for (const Kept& one : kept) {
    EXPECT_EQ(one.answers, 1);
    EXPECT_EQ(one.response.status, 503);
  }
  EXPECT_EQ(controller.posted, 1);
  controller.go_on();
  EXPECT_EQ(page("/v1/why").status, 200);
  for (const Kept& one : kept) EXPECT_EQ(one.answers, 1);
}

TEST_F(StatusPagesTest, AThousandQuestionsAtOnceCostTheControllerNoMoreThanTheLineHolds) {
  std::vector<Kept> kept(1000);
  std::vector<Subscription> asking;
  for (Kept& one : kept) asking.push_back(ask(one, "/v1/why"));
  time.run_for(1s);
  EXPECT_EQ(controller.posted, static_cast<int>(StatusPages::waiting_max));
  EXPECT_THAT(kept, Each(Field(&Kept::answers, 1)));
  EXPECT_EQ(kept.front().response.status, 200);
  EXPECT_EQ(kept.back().response.status, 503);
}

TEST_F(StatusPagesTest, QuestionsOfOneWhoLeftAreNotAsked) {
  Kept first;
  Kept second;
  const Subscription staying = ask(first, "/v1/why");
  { const Subscription leaving = ask(second, "/v1/why"); }
  time.run_for(1s);
  EXPECT_EQ(first.answers, 1);
  EXPECT_EQ(second.answers, 0);
  EXPECT_EQ(explained, 1);
}

/// The port of a whole replica, over a whole cluster in virtual time.
TEST(StatusPort, AnswersFromTheControllersOwnMemory) {
  Cluster cluster({.nodes = 3});
  cluster.time.run_for(5s);
  cluster.start_controller(with_grace_40s());
  cluster.time.run_for(30s);
  const auto page = [&](std::string target) {
    Kept kept;
    const Subscription asking = cluster.replica->status().serve(
        {.method = "GET", .target = std::move(target)}, std::make_unique<CountedReply>(kept));
    cluster.time.run_for(1s);
    return kept.response;
  };
  EXPECT_THAT(page("/v1/why/node/hollow-1?output=text").body,
              AllOf(HasSubstr("node hollow-1: healthy"), HasSubstr("by its Lease"),
                    HasSubstr("--node-monitor-grace-period=40s")));
  EXPECT_EQ(page("/v1/why/node/hollow-9").status, 404);
  EXPECT_THAT(page("/v1/why?output=text").body, HasSubstr("3 nodes in"));
}

TEST(StatusPort, QuestionToAReplicaThatEndsIsLeftAlone) {
  Cluster cluster({.nodes = 1});
  cluster.start_controller(with_grace_40s());
  cluster.time.run_for(10s);
  Kept kept;
  {
    const Subscription asking = cluster.replica->status().serve(
        {.method = "GET", .target = "/v1/why"}, std::make_unique<CountedReply>(kept));
  }
  cluster.stop_controller();
  cluster.time.run_for(10s);
  EXPECT_EQ(kept.answers, 0);
}

}  // namespace
}  // namespace nlc::program

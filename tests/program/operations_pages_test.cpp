#include "program/operations_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/virtual_time.h"
#include "tests/controller/objects.h"
#include "tests/program/callers.h"

namespace nlc::program {
namespace {

using namespace controller::testing;
using ::testing::HasSubstr;
using namespace std::string_literals;

class OperationsPagesTest : public ::testing::Test {
 protected:
  client::Response page(std::string target, std::string method = "GET") {
    tests::Kept kept;
    (void)pages.serve({.method = std::move(method), .target = std::move(target)},
                      std::make_unique<tests::CountedReply>(kept));
    return kept.response;
  }

  sim::VirtualTime time{noon};
  metrics::Metrics metrics{"1.2.3"};
  controller::HealthBoard health;
  OperationsPages pages{metrics, health, time};
};

TEST_F(OperationsPagesTest, MetricsAreInPrometheusTextFormat) {
  const client::Response response = page("/metrics");
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.content_type, HasSubstr("version=0.0.4"));
  EXPECT_THAT(response.body, HasSubstr("nlc_build_info{version=\"1.2.3\"} 1"));
}

TEST_F(OperationsPagesTest, ReadyOnlyWhenEveryCheckPasses) {
  health.publish({{.name = "informer-nodes", .ok = true}}, time.now());
  EXPECT_EQ(page("/readyz").status, 200);
  EXPECT_EQ(page("/readyz").body, "ok");
  health.publish({{.name = "informer-nodes", .ok = false, .detail = "connection refused"}},
                 time.now());
  EXPECT_EQ(page("/readyz").status, 503);
  EXPECT_THAT(page("/readyz").body, HasSubstr("[-]informer-nodes failed: connection refused"));
}

TEST_F(OperationsPagesTest, VerboseListsEveryCheck) {
  health.publish({{.name = "informer-nodes", .ok = true}, {.name = "judgement", .ok = true}},
                 time.now());
  EXPECT_EQ(
      page("/readyz?verbose").body,
      "[+]controller-thread ok\n[+]informer-nodes ok\n[+]judgement ok\nreadyz check passed\n");
}

TEST_F(OperationsPagesTest, EachCheckHasAPageOfItsOwnAsUnderKubeControllerManager) {
  health.publish({}, time.now());
  const auto election = [](Instant, OperationsPages::Question) {
    return controller::HealthCheck{.name = "leaderElection", .ok = false, .detail = "not renewed"};
  };
  OperationsPages with_election(metrics, health, time, election);
  const auto status = [&](std::string target) {
    tests::Kept kept;
    (void)with_election.serve({.method = "GET", .target = std::move(target)},
                              std::make_unique<tests::CountedReply>(kept));
    return std::pair(kept.response.status, kept.response.body);
  };
  EXPECT_EQ(status("/healthz/leaderElection"),
            std::pair(503, "leaderElection failed: not renewed\n"s));
  EXPECT_EQ(status("/healthz/controller-thread"), std::pair(200, "ok"s));
  EXPECT_EQ(status("/livez/leaderElection?verbose").first, 503);
  EXPECT_EQ(status("/healthz/judgement").first, 404) << "it says nothing of life";
  EXPECT_EQ(status("/metrics/leaderElection").first, 404);
}

TEST_F(OperationsPagesTest, ChecksThatAreExcludedDoNotCount) {
  health.publish(
      {{.name = "judgement", .ok = false, .detail = "held"}, {.name = "policy", .ok = true}},
      time.now());
  EXPECT_EQ(page("/readyz?exclude=judgement").body, "ok");
  EXPECT_EQ(page("/readyz?exclude=policy").status, 503);
  EXPECT_EQ(page("/readyz?verbose&exclude=judgement&exclude=nosuch").body,
            "[+]controller-thread ok\n[+]judgement excluded: ok\n[+]policy ok\n"
            "warn: some health checks cannot be excluded: no matches for \"nosuch\"\n"
            "readyz check passed\n");
}

TEST_F(OperationsPagesTest, CheckThatWarnsIsReadyAndDoesNotReadAsOk) {
  health.publish({{.name = "policy", .ok = true, .detail = "it does nothing", .warns = true}},
                 time.now());
  EXPECT_EQ(page("/readyz").status, 200);
  EXPECT_EQ(page("/readyz").body, "ok");
  EXPECT_EQ(page("/readyz?verbose").body,
            "[+]controller-thread ok\n[+]policy warning: it does nothing\nreadyz check passed\n");
  EXPECT_EQ(page("/readyz/policy").status, 200);
  EXPECT_EQ(page("/readyz/policy").body, "policy warning: it does nothing\n");
}

TEST_F(OperationsPagesTest, WhatOthersWroteBeginsNoLineOfItsOwnAndSteersNoTerminal) {
  for (const bool ok : {true, false}) {
    health.publish(
        {{.name = "policy", .ok = ok, .detail = "\x1b[2J\0\nreadyz check passed"s, .warns = true}},
        time.now());
    EXPECT_THAT(page("/readyz?verbose").body, HasSubstr(":  [2J  readyz check passed\nreadyz"));
    EXPECT_THAT(page("/readyz/policy").body, HasSubstr(":  [2J  readyz check passed\n"));
  }
  EXPECT_THAT(page("/readyz?verbose&exclude=a\x1b[2Jb").body, HasSubstr("\"a [2Jb\""));
}

TEST_F(OperationsPagesTest, StuckControllerThreadIsNotAlive) {
  health.publish({}, time.now());
  EXPECT_EQ(page("/livez").status, 200);
  time.run_for(31s);
  EXPECT_EQ(page("/livez").status, 503);
  EXPECT_EQ(page("/healthz").status, 503);
  EXPECT_THAT(page("/livez").body, HasSubstr("controller-thread"));
}

TEST_F(OperationsPagesTest, BlindControllerIsAliveButNotReady) {
  health.publish({{.name = "judgement", .ok = false, .detail = "held"}}, time.now());
  EXPECT_EQ(page("/livez").status, 200);
  EXPECT_EQ(page("/readyz").status, 503);
}

TEST_F(OperationsPagesTest, OtherPagesNameTheOnesThereAre) {
  EXPECT_EQ(page("/").status, 404);
  EXPECT_THAT(page("/").body, HasSubstr("/metrics"));
  EXPECT_EQ(page("/metrics", "POST").status, 405);
}

}  // namespace
}  // namespace nlc::program

#include "program/guarded_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/virtual_time.h"
#include "tests/client/held_transport.h"
#include "tests/controller/objects.h"
#include "tests/memory_log.h"
#include "tests/program/callers.h"

namespace nlc::program {
namespace {

using namespace controller::testing;
using ::testing::HasSubstr;
using tests::CountedReply;
using tests::Kept;
using tests::StuckExecutor;

/// Pages that name themselves.
class NamedPages final : public client::Endpoint {
 public:
  Subscription serve(client::IncomingRequest request,
                     std::unique_ptr<client::Reply> reply) override {
    reply->send({.status = 200, .content_type = "text/plain", .body = request.target});
    return {};
  }
};

class GuardedPagesTest : public ::testing::Test {
 protected:
  Subscription ask(Kept& kept, std::string target, std::string authorization = "Bearer t",
                   std::string method = "GET") {
    Subscription asking = guarded.serve({.method = std::move(method),
                                         .target = std::move(target),
                                         .authorization = std::move(authorization)},
                                        std::make_unique<CountedReply>(kept));
    time.run_ready();
    return asking;
  }

  void answer(int status, std::string body) {
    transport.answer_last(status, std::move(body));
    time.run_ready();
  }
  void knows_scraper() {
    answer(201, R"({"kind":"TokenReview","status":{"authenticated":true,)"
                R"("user":{"username":"scraper"}}})");
  }
  void says_of_access(bool granted) {
    answer(201, std::string(R"({"kind":"SubjectAccessReview","status":{"allowed":)") +
                    (granted ? "true" : "false") + "}}");
  }

  sim::VirtualTime time{noon};
  StuckExecutor controller{time};
  client::HeldTransport transport;
  tests::MemoryLog log;
  NamedPages pages;
  GuardedPages guarded{
      {.transport = transport, .controller = controller, .port = time, .clock = time, .log = log},
      pages};
};

TEST_F(GuardedPagesTest, MetricsAreForWhomTheServerLetsReadThem) {
  Kept kept;
  const Subscription asking = ask(kept, "/metrics?x=1");
  EXPECT_EQ(kept.answers, 0);
  ASSERT_EQ(transport.sent.size(), 1U);
  knows_scraper();
  EXPECT_THAT(transport.sent.at(1).request.body,
              HasSubstr(R"({"path":"/metrics","verb":"get"},"user":"scraper")"));
  says_of_access(true);
  EXPECT_EQ(kept.response.status, 200);
  EXPECT_EQ(kept.response.body, "/metrics?x=1");
  EXPECT_EQ(kept.answers, 1);
}

TEST_F(GuardedPagesTest, WithoutATokenOrWithOneThatIsNotAcceptedItIs401) {
  for (const char* header : {"", "Basic dXNlcjpwYXNz", "Bearer ", "Bearer a b", "t"}) {
    Kept kept;
    const Subscription asking = ask(kept, "/metrics", header);
    EXPECT_EQ(kept.response.status, 401) << header;
    EXPECT_THAT(kept.response.body, HasSubstr("bearer token"));
  }
  EXPECT_TRUE(transport.sent.empty());
  Kept kept;
  const Subscription asking = ask(kept, "/metrics", "bearer forged");
  answer(201, R"({"kind":"TokenReview","status":{"error":"invalid bearer token"}})");
  EXPECT_EQ(kept.response.status, 401);
}

TEST_F(GuardedPagesTest, WhoMayNotGets403AndIsToldWhy) {
  Kept kept;
  const Subscription asking = ask(kept, "/metrics");
  knows_scraper();
  says_of_access(false);
  EXPECT_EQ(kept.response.status, 403);
  EXPECT_EQ(kept.response.body, "scraper may not get /metrics\n");
}

TEST_F(GuardedPagesTest, HealthPagesAreEverybodysAndNobodyIsAskedAboutIt) {
  for (const char* page : {"/healthz", "/livez", "/readyz", "/readyz?verbose"}) {
    Kept kept;
    const Subscription asking = ask(kept, page, "");
    EXPECT_EQ(kept.response.status, 200) << page;
  }
  EXPECT_TRUE(transport.sent.empty());
}

TEST_F(GuardedPagesTest, WhatOnlyLooksLikeAHealthPageIsNone) {
  for (const char* page : {"/healthz/", "/livez/x", "/readyz%2f", "//healthz", "/Healthz", "/",
                           "/metrics#/healthz", "/x/../healthz", "/metrics?/healthz"}) {
    Kept kept;
    const Subscription asking = ask(kept, page, "");
    EXPECT_EQ(kept.response.status, 401) << page;
  }
}

TEST_F(GuardedPagesTest, ServerThatDoesNotAnswerLetsNobodyIn) {
  Kept kept;
  const Subscription asking = ask(kept, "/metrics");
  transport.answer(0, Error{Fault::Unavailable, "https://api: connection refused"});
  time.run_ready();
  EXPECT_EQ(kept.response.status, 503);
  EXPECT_EQ(kept.response.body,
            "callers cannot be checked: POST /apis/authentication.k8s.io/v1/tokenreviews: "
            "https://api: connection refused\n");
}

TEST_F(GuardedPagesTest, TroubleIsLoggedWhenItBeginsAndWhenItIsOver) {
  for (const int caller : {1, 2, 3}) {
    Kept kept;
    const Subscription asking = ask(kept, "/metrics");
    answer(403, "");
    EXPECT_EQ(kept.response.status, 503) << caller;
  }
  EXPECT_EQ(log.count("cannot be checked"), 1U);
  Kept kept;
  const Subscription asking = ask(kept, "/metrics");
  knows_scraper();
  EXPECT_EQ(log.count("can be checked again"), 1U);
}

TEST_F(GuardedPagesTest, StuckControllerKeepsNobodyFromHealthAndKnownCallersFromMetrics) {
  {
    Kept kept;
    const Subscription asking = ask(kept, "/metrics");
    knows_scraper();
    says_of_access(true);
  }
  controller.stuck = true;
  Kept known;
  const Subscription first = ask(known, "/metrics");
  EXPECT_EQ(known.response.status, 200);
  Kept health;
  const Subscription second = ask(health, "/livez", "");
  EXPECT_EQ(health.response.status, 200);
  Kept unknown;
  const Subscription third = ask(unknown, "/metrics", "Bearer other");
  time.run_for(9s);
  EXPECT_EQ(unknown.response.status, 503);
  EXPECT_THAT(unknown.response.body, HasSubstr("in time"));
  controller.go_on();
  time.run_for(1s);
  EXPECT_EQ(unknown.answers, 1);
}

TEST_F(GuardedPagesTest, CallerWhoLeftIsForgotten) {
  Kept kept;
  { const Subscription asking = ask(kept, "/metrics"); }
  knows_scraper();
  time.run_for(20s);
  EXPECT_EQ(kept.answers, 0);
  EXPECT_EQ(transport.sent.size(), 1U);
}

TEST_F(GuardedPagesTest, PathsWithoutEndAreNotAskedAbout) {
  Kept kept;
  const Subscription asking = ask(kept, "/" + std::string(2000, 'a'));
  EXPECT_EQ(kept.response.status, 414);
  EXPECT_TRUE(transport.sent.empty());
}

}  // namespace
}  // namespace nlc::program

#include "sim/scenario/stage/request_interceptor.h"

#include <gmock/gmock.h>

#include "sim/scenario/stage/old_states.h"
#include "tests/sim/apiserver/api_client.h"

/// What a replica of the controller is answered on its way through the interceptor.
namespace nlc::sim::scenario {
namespace {

/// A node "a" that was there at first, and a node "b" that came later.
struct InterceptedWorld : ApiWorld {
  InterceptedWorld() {
    post(nodes, node("a"));
    past.keep({}, server.backup());
    post(nodes, node("b"));
  }

  Heard through_door(const std::string& method, const std::string& target) {
    auto heard = std::make_shared<Heard>();
    client::IncomingRequest request{
        .method = method, .target = target, .accept = "application/json"};
    serving = interceptor.serve("", std::move(request), std::make_unique<RecordingReply>(heard));
    return *heard;
  }
  /// Whether b is known to that read.
  bool knows_b(const std::string& options = "") {
    return through_door("GET", nodes + "/b" + options).status() == 200;
  }

  OldStates past{time, time};
  Admissions admissions{time};
  const Story story{time, nullptr};
  RequestInterceptor interceptor{{.clock = time,
                                  .executor = time,
                                  .server = server,
                                  .admissions = admissions,
                                  .story = story}};
  Subscription serving;
};

TEST(RequestInterceptor, ReadsCanBeAnsweredFromThePastForAWhile) {
  InterceptedWorld world;
  world.interceptor.answer_from(*world.past.server({}), {.requests = {.resources = {"nodes"}}},
                                world.time.now() + 10s);
  EXPECT_FALSE(world.knows_b());
  EXPECT_EQ(world.through_door("GET", nodes).json()["items"].size(), 1U);
  EXPECT_EQ(world.through_door("GET", "/api/v1/namespaces/default").status(), 200);
  world.time.run_for(10s);
  EXPECT_TRUE(world.knows_b());
}

TEST(RequestInterceptor, EverySecondReadCanBeOfThePast) {
  InterceptedWorld world;
  world.interceptor.answer_from(
      *world.past.server({}),
      {.requests = {.resources = {"nodes"}}, .alternating = true, .times = 2}, Instant::max());
  EXPECT_FALSE(world.knows_b());
  EXPECT_TRUE(world.knows_b());
  EXPECT_FALSE(world.knows_b());
  EXPECT_TRUE(world.knows_b());
  EXPECT_TRUE(world.knows_b());
}

TEST(RequestInterceptor, ReadsThatTakeAnyVersionCanBeOlderThanThoseThatDoNot) {
  InterceptedWorld world;
  world.interceptor.answer_from(*world.past.server({}), {.requests = {.from_cache = true}},
                                Instant::max());
  EXPECT_FALSE(world.knows_b("?resourceVersion=0"));
  EXPECT_TRUE(world.knows_b());
}

TEST(RequestInterceptor, WritesAreNeverOfThePastAndWatchesOnlyIfTheyAreNamed) {
  InterceptedWorld world;
  world.interceptor.answer_from(*world.past.server({}), {.requests = {.resources = {"nodes"}}},
                                Instant::max());
  EXPECT_THAT(world.through_door("GET", nodes + "?watch=1").story(), ::testing::HasSubstr("b"));
  EXPECT_EQ(world.through_door("DELETE", nodes + "/b").status(), 200);
}

TEST(RequestInterceptor, TheDateOfEveryAnswerCanBeOff) {
  InterceptedWorld world;
  const auto date = [&] { return *world.through_door("GET", nodes).response->date; };
  const WallTime now = date();
  world.interceptor.set_date_off(1h);
  EXPECT_EQ(date() - now, 1h);
  world.interceptor.fail({.action = FailApi::Action::Answer, .respond = {.status = 500}},
                         Instant::max());
  EXPECT_EQ(date() - now, 1h);
  world.interceptor.set_date_off(-1h);
  EXPECT_EQ(now - date(), 1h);
}

TEST(RequestInterceptor, ConnectionsThatWaitCanBeBroken) {
  InterceptedWorld world;
  world.interceptor.fail({.action = FailApi::Action::Hang}, Instant::max());
  auto heard = std::make_shared<Heard>();
  const Subscription serving = world.interceptor.serve("", {.method = "GET", .target = nodes},
                                                       std::make_unique<RecordingReply>(heard));
  EXPECT_FALSE(heard->cut);
  world.interceptor.break_connections();
  EXPECT_TRUE(heard->cut);
}

TEST(RequestInterceptor, WhileTheServerIsGoneNothingIsAnsweredWhateverElseWouldBecomeOfIt) {
  InterceptedWorld world;
  world.interceptor.fail({.action = FailApi::Action::Delay, .delay = 1s, .applied = true},
                         Instant::max());
  world.interceptor.be_gone_until(world.time.now() + 10s);
  world.interceptor.be_gone_until(world.time.now() + 5s);
  world.time.run_for(8s);
  const Heard gone = world.through_door("GET", nodes);
  EXPECT_TRUE(gone.cut);
  world.time.run_for(2s);
  const Heard back = world.through_door("GET", nodes);
  EXPECT_FALSE(back.cut);
}

}  // namespace
}  // namespace nlc::sim::scenario

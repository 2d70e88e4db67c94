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

TEST(RequestInterceptor, AStreamCanBreakOffInsideWhatItCarriesFirst) {
  InterceptedWorld world;
  world.interceptor.fail({.requests = {.verb = "WATCH"}, .action = FailApi::Action::Tear},
                         world.time.now() + 10s);
  const Heard torn = world.through_door("GET", nodes + "?watch=1");
  EXPECT_TRUE(torn.opened && torn.cut);
  world.time.run_for(10s);
  const Heard whole = world.through_door("GET", nodes + "?watch=1");
  EXPECT_FALSE(whole.cut);
  EXPECT_THAT(whole.story(), ::testing::HasSubstr("ADDED b"));
  EXPECT_EQ(torn.bytes, whole.bytes.substr(0, whole.bytes.size() / 2));
}

TEST(RequestInterceptor, AStreamThatIsQuietUntilThenDoesNotBreakOff) {
  InterceptedWorld world;
  const std::string now = std::to_string(world.server.storage().version());
  world.interceptor.fail({.requests = {.verb = "WATCH"}, .action = FailApi::Action::Tear},
                         world.time.now() + 10s);
  const auto heard = std::make_shared<Heard>();
  const Subscription serving =
      world.interceptor.serve("",
                              {.method = "GET",
                               .target = nodes + "?watch=1&resourceVersion=" + now,
                               .accept = "application/json"},
                              std::make_unique<RecordingReply>(heard));
  world.time.run_for(10s);
  world.post(nodes, node("c"));
  EXPECT_EQ(heard->story(), "ADDED c");
  EXPECT_FALSE(heard->cut);
}

TEST(RequestInterceptor, AWriteWhoseAnswerBreaksOffHasItsEffect) {
  InterceptedWorld world;
  world.interceptor.fail({.requests = {.verb = "DELETE"}, .action = FailApi::Action::Tear},
                         Instant::max());
  EXPECT_TRUE(world.through_door("DELETE", nodes + "/b").cut);
  EXPECT_FALSE(world.knows_b());
}

TEST(RequestInterceptor, AShareOfRequestsFails) {
  InterceptedWorld world;
  world.interceptor.fail(
      {.requests = {.resources = {"nodes"}}, .action = FailApi::Action::Drop, .share = 0.25},
      Instant::max());
  int failed = 0;
  for (int i = 0; i < 1000; ++i) failed += world.knows_b() ? 0 : 1;
  EXPECT_GT(failed, 200);
  EXPECT_LT(failed, 300);
}

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

#include "sim/scenario/stage/request_interceptor.h"

#include <gmock/gmock.h>

#include "api/decode.h"
#include "client/streams/stream_pieces.h"
#include "sim/apiserver/answers/protobuf_answer.h"
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

  Heard through_door(const std::string& method, const std::string& target,
                     std::string_view accept = "application/json") {
    auto heard = std::make_shared<Heard>();
    client::IncomingRequest request{
        .method = method, .target = target, .accept = std::string(accept)};
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

constexpr std::string_view protobuf = "application/vnd.kubernetes.protobuf";

TEST(RequestInterceptor, WhoAsksForProtobufIsAnsweredSoWhereItIsSpoken) {
  InterceptedWorld world;
  const auto answered = [&](std::string_view accept) {
    return world.through_door("GET", nodes + "?limit=1", accept).response.value();
  };
  EXPECT_EQ(answered(api::accepted_encodings).content_type, "application/json");
  world.interceptor.speak_protobuf(true);
  EXPECT_EQ(answered("application/json").content_type, "application/json");
  const client::Response list = answered(api::accepted_encodings);
  EXPECT_EQ(list.content_type, protobuf);
  const auto page = api::Decoder<api::Node>(api::Encoding::Protobuf).list(list.body);
  ASSERT_TRUE(page);
  ASSERT_EQ(page->items.size(), 1U);
  EXPECT_EQ(page->items[0].name, "a");
  EXPECT_EQ(page->resource_version, std::to_string(world.server.storage().version()));
  EXPECT_NE(page->continue_token, "");
}

TEST(RequestInterceptor, RefusalsAreInProtobufAsWell) {
  InterceptedWorld world;
  world.interceptor.speak_protobuf(true);
  const Heard none = world.through_door("GET", nodes + "/none", api::accepted_encodings);
  ASSERT_EQ(none.status(), 404);
  EXPECT_EQ(none.response->content_type, protobuf);
  EXPECT_EQ(api::decode_status(none.response->body).reason, "NotFound");
}

TEST(RequestInterceptor, StreamsAreInProtobufAsWell) {
  struct Names : client::StreamPieces::Taker {
    void on_piece(std::string_view piece) override {
      const api::WatchEvent<api::Node> event = decoder.watch_event(piece);
      told += event.problem + event.object.name + (event.ends_initial_events ? "end" : " ");
    }
    void on_overlong() override { told += "overlong"; }
    api::Decoder<api::Node> decoder{api::Encoding::Protobuf};
    std::string told;
  };
  InterceptedWorld world;
  world.interceptor.speak_protobuf(true);
  const Heard heard = world.through_door(
      "GET",
      nodes +
          "?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch="
          "NotOlderThan",
      api::accepted_encodings);
  EXPECT_EQ(heard.stream_type, protobuf_stream);
  Names names;
  client::StreamPieces(client::StreamPieces::Cut::Frames).take(heard.bytes, names);
  EXPECT_EQ(names.told, "a b end");
}

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

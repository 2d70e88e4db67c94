#include "tests/sim/apiserver/api_client.h"

namespace nlc::sim {
namespace {

using Action = FaultRule::Action;

TEST(ApiFaults, ARuleAnswersInsteadOfTheServerAsOftenAsItSays) {
  ApiWorld world;
  world.server.faults().add(
      FaultRule::answering({.verb = "create", .resource = "nodes"}, throttled_answer(1s))
          .at_most(2));
  EXPECT_EQ(world.post(nodes, node("a")).status(), 429);
  EXPECT_EQ(world.post(leases, lease("a")).status(), 201);
  const Heard second = world.post(nodes, node("a"));
  EXPECT_EQ(second.response->retry_after, Duration(1s));
  EXPECT_EQ(world.post(nodes, node("a")).status(), 201);
}

TEST(ApiFaults, AStatusOfOnesOwnIsAStatusObject) {
  ApiWorld world;
  world.server.faults().add(FaultRule::answering(
      {.verb = "patch", .resource = "nodes", .subresource = "status", .name = "a"},
      status_answer(503, "ServiceUnavailable", "apiserver is shutting down", 1s)));
  world.post(nodes, node("a"));
  const Heard refused = world.patch(nodes + "/a/status", Json::object());
  EXPECT_EQ(refused.status(), 503);
  EXPECT_EQ(refused.message(), "apiserver is shutting down");
  EXPECT_EQ(world.patch(nodes + "/a", Json::object()).status(), 200);
}

TEST(ApiFaults, ADroppedRequestDidNothing) {
  ApiWorld world;
  world.server.faults().add(FaultRule::doing({.verb = "create"}, Action::Drop).at_most(1));
  EXPECT_TRUE(world.post(nodes, node("a")).cut);
  EXPECT_EQ(world.get(nodes + "/a").status(), 404);
}

TEST(ApiFaults, ALostResponseWasAWriteAllTheSame) {
  ApiWorld world;
  world.server.faults().add(FaultRule::doing({.verb = "create"}, Action::LoseResponse).at_most(1));
  EXPECT_TRUE(world.post(nodes, node("a")).cut);
  EXPECT_EQ(world.get(nodes + "/a").status(), 200);
}

TEST(ApiFaults, ADelayedRequestIsServedLaterAndADelayedResponseAtOnce) {
  ApiWorld world;
  client::IncomingRequest request;
  request.method = "POST";
  request.target = nodes;
  for (const auto& [name, action] :
       {std::pair{"late", Action::Delay}, std::pair{"slow", Action::DelayResponse}}) {
    world.server.faults().add(FaultRule::doing({.verb = "create"}, action, 10s).at_most(1));
    request.body = node(name).dump();
    const OpenCall call = world.start(request);
    world.time.run_for(10s - 1ns);
    EXPECT_EQ(call->status(), 0);
    EXPECT_EQ(world.get(nodes + "/" + name).status(), action == Action::Delay ? 404 : 200);
    world.time.run_for(1ns);
    EXPECT_EQ(call->status(), 201);
  }
}

TEST(ApiFaults, AHangingRequestIsNeverAnswered) {
  ApiWorld world;
  world.server.faults().add(FaultRule::doing({.verb = "list"}, Action::Hang));
  const OpenCall list = world.watch(nodes);
  world.time.run_for(24h);
  EXPECT_EQ(list->status(), 0);
  EXPECT_FALSE(list->cut);
}

TEST(ApiFaults, ARuleThatWasRemovedIsForgotten) {
  ApiWorld world;
  const FaultRules::Id id = world.server.faults().add(FaultRule::answering({}, expired_answer()));
  EXPECT_EQ(world.get(nodes).status(), 410);
  world.server.faults().remove(id);
  EXPECT_EQ(world.get(nodes).status(), 200);
}

TEST(ApiFaults, RulesMayBeForOneClientOnly) {
  ApiWorld world;
  world.server.faults().add(FaultRule::answering({.user_agent = "controller"}, expired_answer()));
  client::IncomingRequest request;
  request.method = "GET";
  request.target = nodes;
  request.user_agent = "node-lifecycle-controller/1";
  EXPECT_EQ(world.start(request)->status(), 410);
  request.user_agent = "kubectl";
  EXPECT_EQ(world.start(request)->status(), 200);
}

TEST(ApiFaults, APausedServerAcceptsNothingAndThenGoesOnInOrder) {
  ApiWorld world;
  const OpenCall watch = world.watch(nodes + "?watch=1");
  world.server.pause_for(60s);
  client::IncomingRequest request;
  request.method = "POST";
  request.target = nodes;
  request.body = node("a").dump();
  const OpenCall first = world.start(request);
  const OpenCall second = world.start(request);
  world.time.run_for(60s - 1ns);
  EXPECT_EQ(first->status(), 0);
  EXPECT_TRUE(watch->bytes.empty());
  world.time.run_for(1ns);
  EXPECT_EQ(first->status(), 201);
  EXPECT_EQ(second->status(), 409);
  EXPECT_EQ(watch->story(), "ADDED a");
}

TEST(ApiFaults, WhoLeftDuringAPauseIsNotServed) {
  ApiWorld world;
  world.server.pause_for(60s);
  client::IncomingRequest request;
  request.method = "POST";
  request.target = nodes;
  request.body = node("a").dump();
  world.start(request).subscription.end();
  world.time.run_for(61s);
  EXPECT_EQ(world.get(nodes + "/a").status(), 404);
}

TEST(ApiFaults, AFrozenStreamIsSilentAndMissesNothing) {
  ApiWorld world;
  const OpenCall of_nodes = world.watch(nodes + "?watch=1");
  const OpenCall of_leases = world.watch(leases + "?watch=1");
  world.server.watches().freeze("nodes");
  world.post(nodes, node("a"));
  world.post(leases, lease("a"));
  EXPECT_EQ(of_nodes->story(), "");
  EXPECT_EQ(of_leases->story(), "ADDED a");
  world.server.watches().thaw("nodes");
  world.post(nodes, node("b"));
  EXPECT_EQ(of_nodes->story(), "ADDED a, ADDED b");
}

TEST(ApiFaults, AFrozenStreamWhoseHistoryWasForgottenIsGone) {
  ApiWorld world;
  const OpenCall watch = world.watch(nodes + "?watch=1");
  world.server.watches().freeze("nodes");
  world.post(nodes, node("a"));
  world.server.compact_history();
  world.server.watches().thaw("nodes");
  EXPECT_EQ(watch->events().at(0)["object"]["code"], 410);
  EXPECT_TRUE(watch->closed);
}

TEST(ApiFaults, StreamsCanBeCutOrClosed) {
  ApiWorld world;
  const OpenCall of_nodes = world.watch(nodes + "?watch=1");
  const OpenCall of_leases = world.watch(leases + "?watch=1");
  world.server.watches().end_all(WatchHub::Ending::Cut, "nodes");
  EXPECT_TRUE(of_nodes->cut);
  EXPECT_FALSE(of_leases->cut);
  world.server.watches().end_all(WatchHub::Ending::Orderly);
  EXPECT_TRUE(of_leases->closed);
}

TEST(ApiFaults, BookmarksCanBeWithheld) {
  ApiWorld world;
  world.server.watches().initial_events_end_never(true);
  const OpenCall watch = world.watch(nodes + "?watch=1&allowWatchBookmarks=true");
  world.post(nodes, node("a"));
  world.server.watches().bookmarks_never(true);
  world.time.run_for(5min);
  EXPECT_EQ(watch->story(), "ADDED a");
}

TEST(ApiFaults, EveryRequestIsToldToTheObserver) {
  ApiServerOptions options;
  std::vector<std::string> seen;
  options.observe = [&](const ServedRequest& served) {
    seen.push_back(served.info.verb + " " + served.info.resource + " " + served.info.name + " " +
                   std::to_string(served.status));
  };
  ApiWorld world(options);
  world.post(nodes, node("a"));
  world.get(nodes + "/b");
  const OpenCall watch = world.watch(nodes + "?watch=1");
  EXPECT_EQ(seen,
            (std::vector<std::string>{"create nodes  201", "get nodes b 404", "watch nodes  200"}));
}

TEST(ApiFaults, AnInterceptorMayAnswerInTheServersPlace) {
  ApiServerOptions options;
  options.intercept = [](const RequestInfo& info,
                         const client::IncomingRequest&) -> std::optional<client::Response> {
    if (info.verb != "delete") return std::nullopt;
    return status_answer(500, "InternalError", "etcdserver: leader changed");
  };
  ApiWorld world(options);
  world.post(nodes, node("a"));
  EXPECT_EQ(world.remove(nodes + "/a").status(), 500);
  EXPECT_EQ(world.get(nodes + "/a").status(), 200);
}

}  // namespace
}  // namespace nlc::sim

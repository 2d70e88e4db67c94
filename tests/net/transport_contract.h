#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/net/transport_world.h"

/// The promises of client/transport.h as tests. Whoever implements the seam provides a
/// `TransportWorld` and runs them with INSTANTIATE_TEST_SUITE_P(Name, TransportContract,
/// testing::Values(&make_world)).
namespace nlc::tests {

TEST_P(TransportContract, RequestArrivesAsItWasSent) {
  server.always(200, "{}");
  world->gate().open_for_ever();
  ASSERT_TRUE(ask({.method = "PATCH",
                   .target = "/api/v1/nodes/a%20b/status?fieldManager=x&y=%2F",
                   .accept = "application/vnd.kubernetes.protobuf,application/json",
                   .content_type = "application/strategic-merge-patch+json",
                   .body = "{\"a\":\"\\u0000 \xC3\xA4\"}",
                   .priority = client::RequestPriority::NodeWrite}));
  ASSERT_EQ(server.requests.size(), 1U);
  const client::IncomingRequest& seen = server.requests[0];
  EXPECT_EQ(seen.method, "PATCH");
  EXPECT_EQ(seen.target, "/api/v1/nodes/a%20b/status?fieldManager=x&y=%2F");
  EXPECT_EQ(seen.accept, "application/vnd.kubernetes.protobuf,application/json");
  EXPECT_EQ(seen.content_type, "application/strategic-merge-patch+json");
  EXPECT_EQ(seen.body, "{\"a\":\"\\u0000 \xC3\xA4\"}");
}

TEST_P(TransportContract, UngatedRequestArrivesAsItWasSent) {
  server.always(200, "{}");
  for (const std::string method : {"GET", "PUT", "POST", "DELETE", "PATCH"}) {
    const std::string body = method == "GET" ? "" : "{\"m\":1}";
    ASSERT_TRUE(ask({.method = method,
                     .target = "/api/v1/namespaces/d/events?a=%2F&b=x%3Dy%2Cz",
                     .content_type = body.empty() ? "" : "application/json",
                     .body = body,
                     .priority = method == "GET" ? client::RequestPriority::Read
                                                 : client::RequestPriority::Election}));
    const client::IncomingRequest& seen = server.requests.back();
    EXPECT_EQ(seen.method, method);
    EXPECT_EQ(seen.target, "/api/v1/namespaces/d/events?a=%2F&b=x%3Dy%2Cz");
    EXPECT_EQ(seen.accept, "application/json");
    EXPECT_EQ(seen.body, body);
  }
}

TEST_P(TransportContract, EveryStatusIsAnAnswerOnEveryPriority) {
  world->gate().open_for_ever();
  for (const client::RequestPriority priority : every_priority) {
    for (const int status : {200, 201, 400, 403, 404, 409, 410, 422, 429, 500, 503, 504}) {
      server.always(status, "{\"code\":" + std::to_string(status) + "}");
      const auto answer = ask(with_priority(priority));
      ASSERT_TRUE(answer) << answer.error().path;
      EXPECT_EQ(answer->status, status);
      EXPECT_EQ(answer->content_type, "application/json");
      EXPECT_EQ(answer->body, "{\"code\":" + std::to_string(status) + "}");
    }
  }
}

TEST_P(TransportContract, AnswerIsNeverGivenInline) {
  server.always(200, "{}");
  send(with_priority(client::RequestPriority::Read));
  EXPECT_TRUE(answers.empty());
  send(with_priority(client::RequestPriority::NodeWrite));  // refused by the gate
  EXPECT_TRUE(answers.empty());
  EXPECT_TRUE(world->until([this] { return answers.size() == 2; }));
}

TEST_P(TransportContract, EmptyAndLargeBodiesArriveWhole) {
  std::string large;
  for (int i = 0; large.size() < 5'000'000; ++i) large += std::to_string(i);
  for (const std::string& body : {std::string(), large}) {
    server.always(200, body);
    const auto answer = ask(with_priority(client::RequestPriority::Read));
    ASSERT_TRUE(answer) << answer.error().path;
    EXPECT_TRUE(answer->body == body);
  }
}

TEST_P(TransportContract, LargeBodyIsSentWhole) {
  server.always(200, "{}");
  world->gate().open_for_ever();
  const std::string large(1'000'000, 'x');
  for (const client::RequestPriority priority :
       {client::RequestPriority::NodeWrite, client::RequestPriority::Election}) {
    client::Request request = with_priority(priority);
    request.body = large;
    ASSERT_TRUE(ask(request));
    EXPECT_TRUE(server.requests.back().body == large);
  }
}

TEST_P(TransportContract, RetryAfterAndDateAreRead) {
  for (const client::RequestPriority priority :
       {client::RequestPriority::Read, client::RequestPriority::NodeWrite}) {
    world->gate().open_for_ever();
    const auto date = parse_rfc3339("2026-01-02T03:04:05Z");
    server.script = [&](const client::IncomingRequest&, client::Reply& reply) {
      reply.send({.status = 429,
                  .content_type = "text/plain; charset=utf-8",
                  .retry_after = std::chrono::seconds(7),
                  .date = date,
                  .body = "Too many requests, please try again later.\n"});
    };
    const auto answer = ask(with_priority(priority));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->retry_after, std::chrono::seconds(7));
    EXPECT_EQ(answer->date, date);
    server.always(200, "{}");
    EXPECT_EQ(ask(with_priority(priority))->retry_after, std::nullopt);
  }
}

TEST_P(TransportContract, SilentServerIsATimeoutOnEveryPriority) {
  world->gate().open_for_ever();
  for (const client::RequestPriority priority : every_priority) {
    client::Request request = with_priority(priority);
    request.timeout = std::chrono::milliseconds(50);
    const auto answer = ask(request);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().fault, Fault::Timeout) << answer.error().path;
  }
}

TEST_P(TransportContract, CallerThatGaveUpLeavesTheServer) {
  client::Request request = with_priority(client::RequestPriority::Read);
  request.timeout = std::chrono::milliseconds(50);
  ASSERT_FALSE(ask(request));
  EXPECT_TRUE(world->until([this] { return server.ended == 1; }));
}

TEST_P(TransportContract, RequestsAreAnsweredEachToItsOwnCaller) {
  server.script = [](const client::IncomingRequest& request, client::Reply& reply) {
    reply.send(
        {.status = 200, .content_type = "", .retry_after = {}, .date = {}, .body = request.target});
  };
  std::vector<std::pair<std::string, std::string>> pairs;
  for (int i = 0; i < 100; ++i) {
    const std::string target = "/api/v1/nodes/n" + std::to_string(i);
    transport().send({.target = target}, [&pairs, target](Result<client::Response> result) {
      pairs.emplace_back(target, result ? result->body : result.error().path);
    });
  }
  ASSERT_TRUE(world->until([&] { return pairs.size() == 100; }));
  for (const auto& [asked, answered] : pairs) EXPECT_EQ(asked, answered);
}

// --- the gate ------------------------------------------------------------------------------------

TEST_P(TransportContract, ShutGateRefusesWhatALeaderWritesAndSendsNothing) {
  server.always(200, "{}");
  for (const client::RequestPriority priority :
       {client::RequestPriority::NodeWrite, client::RequestPriority::PodWrite,
        client::RequestPriority::Event}) {
    const auto answer = ask(with_priority(priority));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().fault, Fault::NotLeading);
  }
  EXPECT_TRUE(server.requests.empty());
}

TEST_P(TransportContract, ShutGateLeavesTheOtherPrioritiesOpen) {
  server.always(200, "{}");
  for (const client::RequestPriority priority :
       {client::RequestPriority::Election, client::RequestPriority::Read}) {
    EXPECT_TRUE(ask(with_priority(priority)));
  }
}

TEST_P(TransportContract, GateThatShutsWhileWritesWaitRefusesThem) {
  world->gate().open_for_ever();
  for (int i = 0; i < 40; ++i) send(with_priority(client::RequestPriority::NodeWrite));
  // The server holds every answer back, so all but the first few wait for a connection.
  ASSERT_TRUE(world->until([this] { return !server.replies.empty(); }));
  world->settle();
  const std::size_t sent = server.requests.size();
  world->gate().close();
  server.always(200, "{}");
  for (std::size_t i = 0; i < sent; ++i) {
    server.replies[i]->send(
        {.status = 200, .content_type = "", .retry_after = {}, .date = {}, .body = "{}"});
  }
  ASSERT_TRUE(world->until([this] { return answers.size() == 40; }));
  std::size_t refused = 0;
  for (const auto& answer : answers) {
    if (!answer && answer.error().fault == Fault::NotLeading) ++refused;
  }
  EXPECT_GT(refused, 0U);
  EXPECT_EQ(refused, 40 - server.requests.size());
}

TEST_P(TransportContract, GatedWriteIsGivenUpWhenTheGateShuts) {
  world->gate().open_until(world->clock().now() + std::chrono::milliseconds(400));
  const Instant before = world->clock().now();
  const auto answer = ask(with_priority(client::RequestPriority::NodeWrite));  // 30 s by itself
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::Timeout);
  EXPECT_LT(world->clock().now() - before, std::chrono::seconds(10));
}

// --- watches -------------------------------------------------------------------------------------

TEST_P(TransportContract, AcceptedWatchOpensBeforeAnyEvent) {
  server.script = [](const client::IncomingRequest&, client::Reply& reply) {
    reply.open("application/json");
  };
  const Subscription line = watch({.target = "/api/v1/nodes?watch=true"});
  ASSERT_TRUE(world->until([this] { return !heard->calls.empty(); }));
  EXPECT_THAT(heard->calls, testing::ElementsAre("open"));
  EXPECT_EQ(server.requests.at(0).target, "/api/v1/nodes?watch=true");
}

TEST_P(TransportContract, WatchDeliversBytesInOrderAndThenItsEnd) {
  server.script = [](const client::IncomingRequest&, client::Reply& reply) {
    reply.open("application/json");
    for (int i = 0; i < 1000; ++i) reply.write(shared_text(std::to_string(i) + "\n"));
    reply.close();
  };
  std::string expected;
  for (int i = 0; i < 1000; ++i) expected += std::to_string(i) + "\n";
  const Subscription line = watch({.target = "/w"});
  ASSERT_TRUE(world->until([this] { return heard->ended; }));
  EXPECT_THAT(heard->calls, testing::ElementsAre("open", "bytes", "end"));
  EXPECT_EQ(heard->bytes, expected);
}

TEST_P(TransportContract, WatchTellsItsEncodingBeforeItsBytes) {
  server.script = [](const client::IncomingRequest&, client::Reply& reply) {
    reply.open("application/vnd.kubernetes.protobuf;stream=watch");
    reply.write(shared_text("a"));
  };
  const Subscription line = watch({.target = "/w"});
  ASSERT_TRUE(world->until([this] { return heard->bytes == "a"; }));
  EXPECT_EQ(heard->content_type, "application/vnd.kubernetes.protobuf;stream=watch");
}

TEST_P(TransportContract, WatchTellsTheServersDateAsItOpens) {
  const auto date = parse_rfc3339("2026-01-02T03:04:05Z");
  server.script = [&](const client::IncomingRequest&, client::Reply& reply) {
    reply.open("application/json", date);
  };
  const Subscription line = watch({.target = "/w"});
  ASSERT_TRUE(world->until([this] { return !heard->calls.empty(); }));
  EXPECT_EQ(heard->date, date);
}

TEST_P(TransportContract, WatchGoesOnAfterSilence) {
  server.script = [](const client::IncomingRequest&, client::Reply& reply) {
    reply.open("application/json");
  };
  const Subscription line = watch({.target = "/w"});
  ASSERT_TRUE(world->until([this] { return !heard->calls.empty(); }));
  for (const std::string text : {"a", "b", "c"}) {
    server.replies.at(0)->write(shared_text(text));
    ASSERT_TRUE(world->until([this, text] { return heard->bytes.ends_with(text); }));
  }
  EXPECT_EQ(heard->bytes, "abc");
}

TEST_P(TransportContract, WatchTakesALongFirstAnswer) {
  const auto event = shared_text(std::string(1000, 'e'));
  server.script = [&](const client::IncomingRequest&, client::Reply& reply) {
    reply.open("application/json");
    for (int i = 0; i < 8000; ++i) reply.write(event);
  };
  const Subscription line = watch({.target = "/w"});
  EXPECT_TRUE(world->until([this] { return heard->bytes.size() == 8'000'000; }));
  EXPECT_FALSE(heard->ended);
}

TEST_P(TransportContract, RefusedWatchGivesStatusAndBody) {
  server.always(410, "{\"reason\":\"Expired\"}");
  const Subscription line = watch({.target = "/w"});
  ASSERT_TRUE(world->until([this] { return heard->ended; }));
  EXPECT_THAT(heard->calls, testing::ElementsAre("refused 410 {\"reason\":\"Expired\"}"));
}

TEST_P(TransportContract, EndedWatchIsSilentAndLeavesTheServer) {
  server.script = [](const client::IncomingRequest&, client::Reply& reply) {
    reply.open("application/json");
  };
  Subscription line = watch({.target = "/w"});
  ASSERT_TRUE(world->until([this] { return !heard->calls.empty(); }));
  server.replies.at(0)->write(shared_text("late"));
  line.end();
  EXPECT_TRUE(world->until([this] { return server.ended == 1; }));
  world->settle();
  EXPECT_THAT(heard->calls, testing::ElementsAre("open"));
}

TEST_P(TransportContract, WatchThatIsEndedAtOnceIsNeverHeardOf) {
  server.always(200, "{}");
  watch({.target = "/w"}).end();
  world->settle();
  EXPECT_TRUE(heard->calls.empty());
}

TEST_P(TransportContract, WatchIsNotHeldUpByOtherRequests) {
  for (int i = 0; i < 100; ++i)
    send(with_priority(client::RequestPriority::Read));  // never answered
  server.script = [](const client::IncomingRequest& request, client::Reply& reply) {
    if (request.target == "/w") reply.open("application/json");
  };
  const Subscription line = watch({.target = "/w"});
  EXPECT_TRUE(world->until([this] { return !heard->calls.empty(); }));
}

TEST_P(TransportContract, ElectionIsNotHeldUpByOtherRequests) {
  world->gate().open_for_ever();
  for (int i = 0; i < 100; ++i) {
    send(with_priority(client::RequestPriority::Read));
    send(with_priority(client::RequestPriority::NodeWrite));
    send(with_priority(client::RequestPriority::Event));
  }
  server.script = [](const client::IncomingRequest& request, client::Reply& reply) {
    if (request.method != "PUT") return;
    reply.send({.status = 200, .content_type = "", .retry_after = {}, .date = {}, .body = "{}"});
  };
  client::Request renewal = with_priority(client::RequestPriority::Election);
  renewal.method = "PUT";
  send(renewal);
  ASSERT_TRUE(world->until([this] { return !answers.empty(); }));
  EXPECT_TRUE(answers.front());
}

}  // namespace nlc::tests

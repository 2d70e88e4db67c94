#include "net/http_server/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "tests/net/loop_fixture.h"
#include "tests/net/peer.h"
#include "tests/net/scripted_server.h"

namespace nlc::tests {
namespace {

using std::chrono_literals::operator""ms;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class HttpServerTest : public testing::Test {
 protected:
  void listen(net::HttpServerOptions options = {}) {
    auto listening =
        net::HttpServer::listen(fixture.loop, endpoint, {.host = "127.0.0.1", .port = 0}, options);
    ASSERT_TRUE(listening) << listening.error().path;
    server = *std::move(listening);
  }

  std::unique_ptr<RawClient> call() {
    return std::make_unique<RawClient>(fixture.loop, server->port());
  }

  /// Sends and waits until the answer's body ends as expected.
  std::string exchange(RawClient& client, const std::string& request, const std::string& end) {
    client.send(request);
    EXPECT_TRUE(fixture.until([&] { return client.received().ends_with(end); }))
        << client.received();
    return client.received();
  }

  bool closes(RawClient& client) {
    return fixture.until([&client] { return client.is_closed(); });
  }

  LoopFixture fixture;
  ScriptedServer endpoint;
  std::unique_ptr<net::HttpServer> server;
};

const std::string get = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

void answer_target(const client::IncomingRequest& request, client::Reply& reply) {
  reply.send({.status = 200,
              .content_type = "text/plain",
              .retry_after = {},
              .date = {},
              .body = "<" + request.target + ">"});
}

void open_stream(const client::IncomingRequest&, client::Reply& reply) {
  reply.open("application/json");
}

TEST_F(HttpServerTest, RequestsThatAreSentAheadAreReadAsTheyWereSent) {
  listen();
  endpoint.script = [](const client::IncomingRequest&, client::Reply&) {};
  const auto client = call();
  const auto request = [](const std::string& target) {
    return "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n";
  };
  const auto is_asked = [this](std::size_t requests) {
    return fixture.until([&] { return endpoint.replies.size() == requests; });
  };
  client->send(request("/first") + request("/second-that-is-longer"));
  ASSERT_TRUE(is_asked(1));
  endpoint.replies[0]->send({.status = 200, .body = "1"});
  ASSERT_TRUE(is_asked(2));
  client->send(request("/third"));
  fixture.settle();
  endpoint.replies[1]->send({.status = 200, .body = "2"});
  ASSERT_TRUE(is_asked(3));
  EXPECT_EQ(endpoint.requests[1].target, "/second-that-is-longer");
  EXPECT_EQ(endpoint.requests[2].target, "/third");
  EXPECT_EQ(endpoint.requests[2].host, "x");
}

TEST_F(HttpServerTest, AnswerHasStatusLengthTypeAndDate) {
  listen();
  endpoint.always(200, "ok");
  const auto client = call();
  const std::string answer = exchange(*client, get, "\r\n\r\nok");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Length: 2\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(answer, HasSubstr(" GMT\r\n"));
}

TEST_F(HttpServerTest, FieldsForBrowsersAreInEveryAnswerAndNobodyElseMayReadIt) {
  listen(net::pages_for_browsers);
  endpoint.script = answer_target;
  for (const std::string& request : {get, std::string("nonsense\r\n\r\n")}) {
    const auto client = call();
    const std::string answer = exchange(*client, request, request == get ? ">" : "\n");
    EXPECT_THAT(answer,
                HasSubstr("\r\nContent-Security-Policy: default-src 'none'; script-src 'self'"));
    EXPECT_THAT(answer, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"));
    EXPECT_THAT(answer, testing::Not(HasSubstr("Access-Control")));
  }
}

TEST_F(HttpServerTest, WhoLeadsAndWhoIsWellIsKeptByNoCache) {
  listen(net::small_pages);
  endpoint.script = answer_target;
  const auto client = call();
  EXPECT_THAT(exchange(*client, get, ">"), HasSubstr("\r\nCache-Control: no-store\r\n"));
}

TEST_F(HttpServerTest, LastEventIdReachesTheEndpoint) {
  listen();
  endpoint.script = [](const client::IncomingRequest& request, client::Reply& reply) {
    reply.send({.status = 200, .body = "<" + request.last_event_id + ">"});
  };
  const auto client = call();
  const std::string request = "GET / HTTP/1.1\r\nHost: x\r\nLast-Event-ID: 7-12\r\n\r\n";
  EXPECT_THAT(exchange(*client, request, ">"), EndsWith("<7-12>"));
}

TEST_F(HttpServerTest, RetryAfterAndWarningGoOut) {
  listen();
  endpoint.script = [](const client::IncomingRequest&, client::Reply& reply) {
    reply.send({.status = 429, .content_type = "", .retry_after = 1500ms, .date = {}, .body = "no"},
               "299 - \"unknown field\"");
  };
  const auto client = call();
  const std::string answer = exchange(*client, get, "\r\n\r\nno");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 429 Too Many Requests\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nRetry-After: 2\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nWarning: 299 - \"unknown field\"\r\n"));
}

TEST_F(HttpServerTest, ConnectionIsKeptUntilTheCallerWantsItClosed) {
  listen();
  endpoint.script = answer_target;
  const auto client = call();
  exchange(*client, get, "</healthz>");
  exchange(*client, "GET /again HTTP/1.1\r\nConnection: close\r\n\r\n", "</again>");
  EXPECT_TRUE(closes(*client));
  EXPECT_TRUE(fixture.until([this] { return server->connections() == 0; }));
}

TEST_F(HttpServerTest, RequestsThatComeTogetherAreAnsweredInOrder) {
  listen();
  endpoint.script = answer_target;
  const auto client = call();
  client->send("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\nGET /3 HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(fixture.until([&] { return client->received().ends_with("</3>"); }));
  EXPECT_LT(client->received().find("</1>"), client->received().find("</2>"));
}

TEST_F(HttpServerTest, RequestMayComeByteByByte) {
  listen();
  endpoint.script = answer_target;
  const auto client = call();
  for (const char letter : get) {
    client->send(std::string(1, letter));
    fixture.loop.run_until([] { return false; }, 0ms);
  }
  EXPECT_TRUE(fixture.until([&] { return client->received().ends_with("</healthz>"); }));
}

TEST_F(HttpServerTest, ChunkedBodyReachesTheEndpointWhole) {
  listen();
  endpoint.always(200, "ok");
  const auto client = call();
  exchange(*client,
           "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
           "ok");
  EXPECT_EQ(endpoint.requests.at(0).body, "abcde");
}

TEST_F(HttpServerTest, HeadIsAnsweredWithoutABody) {
  listen();
  endpoint.always(200, "hidden");
  const auto client = call();
  client->send("HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n");
  ASSERT_TRUE(closes(*client));
  EXPECT_THAT(client->received(), HasSubstr("Content-Length: 6\r\n"));
  EXPECT_THAT(client->received(), EndsWith("\r\n\r\n"));
}

TEST_F(HttpServerTest, CallerThatExpectsItIsInvitedToSendItsBody) {
  listen();
  endpoint.always(200, "ok");
  const auto client = call();
  client->send("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  ASSERT_TRUE(fixture.until([&] { return client->received() == "HTTP/1.1 100 Continue\r\n\r\n"; }));
  exchange(*client, "abc", "ok");
  EXPECT_EQ(endpoint.requests.at(0).body, "abc");
}

TEST_F(HttpServerTest, WhatIsNoHttpIsRefusedWith400) {
  listen();
  const auto client = call();
  client->send("nonsense\r\n\r\n");
  ASSERT_TRUE(closes(*client));
  EXPECT_THAT(client->received(), StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_TRUE(endpoint.requests.empty());
}

TEST_F(HttpServerTest, BodyBeyondTheLimitIsRefusedWith413) {
  listen();
  const auto client = call();
  client->send("POST / HTTP/1.1\r\nContent-Length: 3145729\r\n\r\n" + std::string(100'000, 'x'));
  ASSERT_TRUE(
      fixture.until([&] { return client->received().find("\r\n\r\n") != std::string::npos; }));
  EXPECT_THAT(client->received(), StartsWith("HTTP/1.1 413 "));
  EXPECT_TRUE(endpoint.requests.empty());
}

TEST_F(HttpServerTest, BodyAtTheLimitIsTaken) {
  listen();
  endpoint.always(200, "ok");
  const auto client = call();
  const std::string body(3 * 1024 * 1024, 'x');
  exchange(*client, "POST / HTTP/1.1\r\nContent-Length: 3145728\r\n\r\n" + body, "ok");
  EXPECT_TRUE(endpoint.requests.at(0).body == body);
}

TEST_F(HttpServerTest, HeadersBeyondTheLimitAreRefusedWith431) {
  listen();
  const auto client = call();
  client->send("GET / HTTP/1.1\r\nX: " + std::string(70'000, 'x') + "\r\n\r\n");
  ASSERT_TRUE(
      fixture.until([&] { return client->received().find("\r\n\r\n") != std::string::npos; }));
  EXPECT_THAT(client->received(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpServerTest, CallerThatDripsItsRequestIsCutOff) {
  listen({.request_timeout = 30ms});
  const auto client = call();
  client->send("GET / HT");
  EXPECT_TRUE(closes(*client));
  EXPECT_EQ(client->received(), "");
}

TEST_F(HttpServerTest, CallerThatSaysNothingIsCutOff) {
  listen({.idle_timeout = 30ms});
  const auto client = call();
  EXPECT_TRUE(closes(*client));
}

TEST_F(HttpServerTest, OfTooManyConnectionsTheOldestIsClosed) {
  listen({.connections_max = 2});
  endpoint.script = &answer_target;
  const auto oldest = call();
  const auto second = call();
  const auto third = call();
  EXPECT_TRUE(closes(*oldest));
  exchange(*second, get, "</healthz>");
  exchange(*third, get, "</healthz>");
}

TEST_F(HttpServerTest, EndpointMayThinkLongerThanAnyTimeoutOfTheCaller) {
  listen({.request_timeout = 20ms, .idle_timeout = 20ms, .stall_timeout = 20ms});
  const auto client = call();
  client->send(get);
  ASSERT_TRUE(fixture.until([this] { return !endpoint.replies.empty(); }));
  fixture.settle();
  EXPECT_FALSE(client->is_closed());
  endpoint.replies[0]->send(
      {.status = 200, .content_type = "", .retry_after = {}, .date = {}, .body = "late"});
  EXPECT_TRUE(fixture.until([&] { return client->received().ends_with("late"); }));
}

TEST_F(HttpServerTest, CallerThatLeavesDuringSilenceIsNoticed) {
  listen();
  endpoint.script = open_stream;
  const auto client = call();
  exchange(*client, get, "\r\n\r\n");
  EXPECT_EQ(endpoint.ended, 0);
  client->leave();
  EXPECT_TRUE(fixture.until([this] { return endpoint.ended == 1 && server->connections() == 0; }));
}

TEST_F(HttpServerTest, SubscriptionEndsWhenTheAnswerIsOut) {
  listen();
  endpoint.always(200, "ok");
  const auto client = call();
  exchange(*client, get, "ok");
  EXPECT_TRUE(fixture.until([this] { return endpoint.ended == 1; }));
  EXPECT_EQ(server->connections(), 1U);
}

TEST_F(HttpServerTest, StreamIsChunkedAndEndsInGoodOrder) {
  listen();
  endpoint.script = open_stream;
  const auto client = call();
  exchange(*client, get, "Transfer-Encoding: chunked\r\n\r\n");
  endpoint.replies[0]->write(shared_text("abc"));
  exchange(*client, "", "3\r\nabc\r\n");
  endpoint.replies[0]->close();
  exchange(*client, "", "0\r\n\r\n");
  endpoint.script = answer_target;
  exchange(*client, get, "</healthz>");  // on the same connection
}

TEST_F(HttpServerTest, StreamForHttp10EndsWithTheConnection) {
  listen();
  endpoint.script = [](const client::IncomingRequest&, client::Reply& reply) {
    reply.open("text/plain");
    reply.write(shared_text("abc"));
    reply.close();
  };
  const auto client = call();
  client->send("GET / HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(closes(*client));
  EXPECT_THAT(client->received(), StartsWith("HTTP/1.0 200 OK\r\n"));
  EXPECT_THAT(client->received(), EndsWith("\r\n\r\nabc"));
}

TEST_F(HttpServerTest, WatcherThatFallsTooFarBehindIsCutOffAndOthersAreNot) {
  listen({.stream_backlog_limit = 256 * 1024});
  endpoint.script = open_stream;
  const auto slow = call();
  const auto quick = call();
  exchange(*slow, get, "chunked\r\n\r\n");
  exchange(*quick, get, "chunked\r\n\r\n");
  slow->pause();
  const auto event = shared_text(std::string(16 * 1024, 'e'));
  std::size_t written = 0;
  const bool cut = fixture.until([&] {
    if (quick->received().size() < written) return false;  // It keeps up.
    for (const auto& reply : endpoint.replies) {
      if (reply) reply->write(event);
    }
    written += event->size();
    return endpoint.ended == 1 || written > 256U * 1024 * 1024;
  });
  EXPECT_TRUE(cut);
  EXPECT_EQ(endpoint.ended, 1);
  EXPECT_TRUE(fixture.until([&] { return quick->received().size() >= written; }));
  EXPECT_EQ(server->connections(), 1U);
}

TEST_F(HttpServerTest, ReaderThatTakesNothingOfALongAnswerIsCutOff) {
  listen({.stall_timeout = 50ms});
  endpoint.always(200, std::string(64 * 1024 * 1024, 'x'));
  const auto client = call();
  client->pause();
  client->send(get);
  EXPECT_TRUE(fixture.until([this] { return endpoint.ended == 1; }));
}

TEST_F(HttpServerTest, ReplyThatIsDroppedBecomesA500) {
  listen();
  const auto client = call();
  client->send(get);
  ASSERT_TRUE(fixture.until([this] { return !endpoint.replies.empty(); }));
  endpoint.replies[0].reset();
  EXPECT_TRUE(fixture.until([&] { return client->received().starts_with("HTTP/1.1 500 "); }));
}

TEST_F(HttpServerTest, StreamThatIsDroppedDoesNotLookComplete) {
  listen();
  endpoint.script = open_stream;
  const auto client = call();
  exchange(*client, get, "chunked\r\n\r\n");
  endpoint.replies[0].reset();
  EXPECT_TRUE(closes(*client));
  EXPECT_THAT(client->received(), Not(EndsWith("0\r\n\r\n")));
}

TEST_F(HttpServerTest, DestroyedServerEndsEverySubscription) {
  listen();
  endpoint.script = open_stream;
  const auto client = call();
  exchange(*client, get, "chunked\r\n\r\n");
  server.reset();
  EXPECT_EQ(endpoint.ended, 1);
  EXPECT_TRUE(closes(*client));
}

TEST_F(HttpServerTest, PortThatIsTakenIsNamedInTheError) {
  listen();
  const auto second = net::HttpServer::listen(fixture.loop, endpoint,
                                              {.host = "127.0.0.1", .port = server->port()});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().path, "listen on " + server->address() + ": Address already in use");
}

TEST_F(HttpServerTest, AddressThatIsNotOursIsNamedInTheError) {
  const auto listening =
      net::HttpServer::listen(fixture.loop, endpoint, {.host = "192.0.2.1", .port = 0});
  ASSERT_FALSE(listening);
  EXPECT_THAT(listening.error().path, StartsWith("listen on 192.0.2.1:0: "));
}

TEST_F(HttpServerTest, EveryAddressIncludesTheLoopback) {
  auto listening = net::HttpServer::listen(fixture.loop, endpoint, {.host = "", .port = 0});
  ASSERT_TRUE(listening);
  server = *std::move(listening);
  endpoint.always(200, "ok");
  const auto client = call();
  EXPECT_THAT(exchange(*client, get, "ok"), StartsWith("HTTP/1.1 200 OK"));
}

}  // namespace
}  // namespace nlc::tests

#pragma once

#include <chrono>

#include "tests/net/few_files.h"
#include "tests/net/wire_world.h"

/// What every transport over sockets promises beyond the seam: how it behaves towards servers that
/// break and lie. Run with INSTANTIATE_TEST_SUITE_P(Name, WireContract, testing::Values(&make)).
namespace nlc::tests {

TEST_P(WireContract, ConnectionIsKeptForTheNextRequest) {
  serve([](const std::string&) { return Reply{ok_answer("{}")}; });
  fixture.gate.open_for_ever();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(get());
  EXPECT_EQ(peer->connections, 1);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(write_node());
  EXPECT_LE(peer->connections, 2);
}

TEST_P(WireContract, UserAgentIsSent) {
  serve([](const std::string&) { return Reply{ok_answer("{}")}; });
  ASSERT_TRUE(get());
  EXPECT_EQ(header_of(peer->requests[0], "User-Agent"), "tester/1 (linux/amd64)")
      << peer->requests[0];
  EXPECT_EQ(header_of(peer->requests[0], "Accept-Encoding"), "");
}

TEST_P(WireContract, PathOfTheServerGoesBeforeEveryTarget) {
  serve([](const std::string&) { return Reply{ok_answer("{}")}; });
  net::ClusterConfig config = plain_config(peer->port());
  config.path_prefix = "/k8s/clusters/c-1";
  connect(config);
  fixture.gate.open_for_ever();
  ASSERT_TRUE(get());
  ASSERT_TRUE(write_node());
  EXPECT_TRUE(peer->requests[0].starts_with("GET /k8s/clusters/c-1/version HTTP/1.1\r\n"));
  EXPECT_TRUE(peer->requests[1].starts_with("PATCH /k8s/clusters/c-1/api/v1/nodes/n HTTP/1.1\r\n"));
}

TEST_P(WireContract, Ipv6AddressIsReached) {
  ScriptedServer endpoint;
  endpoint.always(200, "{}");
  auto server = net::HttpServer::listen(fixture.loop, endpoint, {.host = "::1", .port = 0});
  ASSERT_TRUE(server) << server.error().path;
  net::ClusterConfig config = plain_config((*server)->port());
  config.host = "::1";
  connect(config);
  fixture.gate.open_for_ever();
  const auto answer = get();
  EXPECT_TRUE(answer) << answer.error().path;
  EXPECT_TRUE(write_node());
}

TEST_P(WireContract, ShutGateIsNoticedBeforeAConnectionIsTried) {
  connect(plain_config(1));
  EXPECT_EQ(write_node().error().fault, Fault::NotLeading);
}

TEST_P(WireContract, NobodyListeningIsUnavailable) {
  serve([](const std::string&) { return Reply{}; });
  const std::uint16_t port = peer->port();
  peer.reset();
  connect(plain_config(port));
  EXPECT_THAT(failure(), testing::HasSubstr("unavailable http://127.0.0.1:" + std::to_string(port) +
                                            ": connection refused"));
}

TEST_P(WireContract, UnknownHostIsUnavailableAndNamesIt) {
  net::ClusterConfig config = plain_config(1);
  config.host = "no-such-host.invalid";
  connect(config);
  EXPECT_THAT(failure(), testing::AllOf(testing::StartsWith("unavailable "),
                                        testing::HasSubstr("no-such-host.invalid"),
                                        testing::HasSubstr("DNS")));
}

TEST_P(WireContract, ServerThatClosesInsteadOfAnsweringIsUnavailable) {
  for (const Reply::Then then : {Reply::Then::Close, Reply::Then::Reset}) {
    serve([then](const std::string&) { return Reply{"", then}; });
    EXPECT_THAT(failure(), testing::StartsWith("unavailable "));
  }
}

TEST_P(WireContract, ServerThatClosesInTheMiddleIsUnavailable) {
  for (const char* const cut : {"HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Le",
                                "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"}) {
    serve([cut](const std::string&) { return Reply{cut, Reply::Then::Close}; });
    EXPECT_THAT(failure(), testing::StartsWith("unavailable ")) << cut;
  }
}

TEST_P(WireContract, ChunkedAnswerCutIntoSingleBytesArrivesWhole) {
  serve([](const std::string&) {
    return Reply{chunked_head + "3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n", Reply::Then::Keep, true};
  });
  fixture.gate.open_for_ever();
  EXPECT_EQ(get()->body, "abcd");
  EXPECT_EQ(write_node()->body, "abcd");
}

TEST_P(WireContract, GetOnAConnectionThatTheServerClosedIsAskedAnew) {
  serve([](const std::string&) { return Reply{ok_answer("{}")}; });
  ASSERT_TRUE(get());
  peer->close_connections();
  EXPECT_TRUE(get());
  EXPECT_EQ(peer->connections, 2);
}

TEST_P(WireContract, WriteOpensAnewWhenItsConnectionWasClosedBefore) {
  serve([](const std::string&) { return Reply{ok_answer("{}")}; });
  fixture.gate.open_for_ever();
  ASSERT_TRUE(write_node());
  peer->close_connections();
  fixture.settle();  // The close is under way to the other side.
  EXPECT_TRUE(write_node());
  EXPECT_EQ(peer->requests.size(), 2U);
}

TEST_P(WireContract, WriteWhoseFateIsUnknownIsNotSentAgain) {
  fixture.gate.open_for_ever();
  bool answers = true;
  serve([&answers](const std::string&) {
    return answers ? Reply{ok_answer("{}")} : Reply{"", Reply::Then::Close};
  });
  ASSERT_TRUE(write_node());
  answers = false;
  const auto answer = write_node();  // on the kept connection, where a client is most tempted
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::Unavailable);
  EXPECT_EQ(peer->requests.size(), 2U);
}

TEST_P(WireContract, AnswerThatIsNoHttpIsMalformedOnTheStreams) {
  serve([](const std::string&) { return Reply{"SSH-2.0-OpenSSH_9.2\r\n\r\n", Reply::Then::Keep}; });
  fixture.gate.open_for_ever();
  EXPECT_EQ(write_node().error().fault, Fault::Malformed);
  EXPECT_THAT(watch_to_its_end()->calls, testing::ElementsAre("broken malformed"));
}

TEST_P(WireContract, AnswerThatIsNoHttpIsAnErrorOnEveryPriority) {
  serve([](const std::string&) {
    return Reply{"SSH-2.0-OpenSSH_9.2\r\n\r\n", Reply::Then::Close};
  });
  EXPECT_FALSE(get());
}

TEST_P(WireContract, WatchTakesChunksCutIntoSingleBytes) {
  serve([](const std::string&) {
    return Reply{chunked_head + "6\r\n{\"a\":1\r\n2;x=y\r\n}\n\r\n0\r\n\r\n", Reply::Then::Keep,
                 true};
  });
  const auto heard = watch_to_its_end();
  EXPECT_EQ(heard->bytes, "{\"a\":1}\n");
  EXPECT_EQ(heard->calls.front(), "open");
  EXPECT_EQ(heard->calls.back(), "end");
}

TEST_P(WireContract, WatchTakesABodyWithoutFraming) {
  serve([](const std::string&) { return Reply{"HTTP/1.1 200 OK\r\n\r\nabc", Reply::Then::Close}; });
  const auto heard = watch_to_its_end();
  EXPECT_THAT(heard->calls, testing::ElementsAre("open", "bytes", "end"));
  EXPECT_EQ(heard->bytes, "abc");
}

TEST_P(WireContract, WatchTakesABodyOfKnownLength) {
  serve([](const std::string&) { return Reply{ok_answer("abc")}; });
  const auto heard = watch_to_its_end();
  EXPECT_THAT(heard->calls, testing::ElementsAre("open", "bytes", "end"));
}

TEST_P(WireContract, BrokenWatchDeliversWhatCameBefore) {
  for (const Reply::Then then : {Reply::Then::Close, Reply::Then::Reset}) {
    serve([then](const std::string&) { return Reply{chunked_head + "3\r\nabc\r\n", then}; });
    const auto heard = watch_to_its_end();
    EXPECT_EQ(heard->calls.back(), "broken unavailable");
    // A reset may overtake what was sent before it.
    const bool whole = heard->bytes == "abc";
    EXPECT_TRUE(whole || then == Reply::Then::Reset);
  }
}

TEST_P(WireContract, WatchThatNobodyAnswersIsBrokenBeforeItOpened) {
  serve([](const std::string&) { return Reply{"", Reply::Then::Close}; });
  EXPECT_THAT(watch_to_its_end()->calls, testing::ElementsAre("broken unavailable"));
}

TEST_P(WireContract, BodyOfARefusedWatchIsCutAt64KiB) {
  serve([](const std::string&) {
    return Reply{"HTTP/1.1 500 Oops\r\nContent-Length: 100000\r\n\r\n" + std::string(100'000, 'x')};
  });
  const auto heard = watch_to_its_end();
  ASSERT_EQ(heard->calls.size(), 1U);
  EXPECT_EQ(heard->calls[0].size(), std::string("refused 500 ").size() + 64 * 1024);
}

TEST_P(WireContract, EndedWatchClosesItsConnection) {
  serve([](const std::string&) { return Reply{chunked_head}; });
  auto heard = std::make_shared<Heard>();
  Subscription line = transport->watch({.target = "/w"}, std::make_unique<RecordingReader>(heard));
  ASSERT_TRUE(fixture.until([&heard] { return !heard->calls.empty(); }));
  line.end();
  EXPECT_TRUE(fixture.until([this] { return peer->closed == 1; }));
}

TEST_P(WireContract, SubscriptionMayOutliveItsTransport) {
  serve([](const std::string&) { return Reply{chunked_head}; });
  auto heard = std::make_shared<Heard>();
  Subscription line = transport->watch({.target = "/w"}, std::make_unique<RecordingReader>(heard));
  ASSERT_TRUE(fixture.until([&heard] { return !heard->calls.empty(); }));
  transport->send({.target = "/never-answered"}, [](Result<client::Response>) {});
  transport.reset();
  EXPECT_TRUE(fixture.until([this] { return peer->closed >= 1; }));
  line.end();
}

TEST_P(WireContract, HeadWithoutEndIsGivenUp) {
  const std::string head = "HTTP/1.1 200 OK\r\nX-Long: " + std::string(64 * 1024 * 1024, 'x');
  connect(serve_tls(
      [&head](const std::string&) {
        return Reply{head, Reply::Then::Keep};
      },
      {.identity = ca.issue({})}));
  fixture.gate.open_for_ever();
  for (const auto& answer : {get(), renew_lease(), write_node()}) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().fault, Fault::Malformed);
    EXPECT_THAT(answer.error().path, testing::EndsWith(": the answer is too long"));
  }
}

TEST_P(WireContract, BodyIsLimitedUnlessItIsAPageOfAList) {
  const std::string answer = ok_answer(std::string(9 * 1024 * 1024, 'x'));
  serve([&answer](const std::string&) { return Reply{answer}; });
  fixture.gate.open_for_ever();
  for (const auto& given_up : {get(), renew_lease(), write_node()}) {
    ASSERT_FALSE(given_up);
    EXPECT_EQ(given_up.error().fault, Fault::Malformed);
    EXPECT_THAT(given_up.error().path, testing::EndsWith(": the answer is too long"));
  }
  EXPECT_TRUE(ask({.target = "/api/v1/nodes?limit=500"}));
}

TEST_P(WireContract, RequestThatIsGivenUpIsToldInTheSameWordsEachTime) {
  serve([](const std::string&) { return Reply{}; });
  for (const auto timeout : {std::chrono::milliseconds(3), std::chrono::milliseconds(5)}) {
    const auto answer = ask({.target = "/version", .timeout = timeout});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().fault, Fault::Timeout);
    EXPECT_EQ(answer.error().path,
              "http://127.0.0.1:" + std::to_string(peer->port()) + ": no answer in time");
  }
}

TEST_P(WireContract, DescriptorsThatRanOutAreCalledThat) {
  serve([](const std::string&) { return Reply{ok_answer("{}")}; });
  fixture.gate.open_for_ever();
  const FewFiles few;
  for (const auto& answer : {get(), renew_lease(), write_node()}) {
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().path, testing::EndsWith(": too many open files (ulimit -n 3)"));
  }
}

}  // namespace nlc::tests

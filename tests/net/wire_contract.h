#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/net/few_files.h"
#include "tests/net/peer.h"
#include "tests/net/socket_world.h"
#include "tests/net/temporary_folder.h"

/// What every transport over sockets promises beyond the seam: how it behaves towards servers that
/// break, lie or rotate, over TLS and without. Run with INSTANTIATE_TEST_SUITE_P(Name,
/// WireContract, testing::Values(&make)).
namespace nlc::tests {

using MakeTransport = std::unique_ptr<client::Transport> (*)(const net::ClusterConfig&,
                                                             const net::Surroundings&);

class WireContract : public testing::TestWithParam<MakeTransport> {
 protected:
  void serve(Peer::Script script) {
    peer = std::make_unique<Peer>(fixture.loop, std::move(script));
    connect(plain_config(peer->port()));
  }

  /// Config of a TLS peer; `connect` is left to the test, which may change it before.
  net::ClusterConfig serve_tls(Peer::Script script, const PeerTls& tls) {
    peer = std::make_unique<Peer>(fixture.loop, std::move(script), &tls);
    net::ClusterConfig config = plain_config(peer->port());
    config.tls = true;
    config.ca.data = ca.certificate();
    return config;
  }

  /// A TLS peer that demands a client certificate, and the config that has one.
  net::ClusterConfig serve_those_with_a_certificate(Peer::Script script, bool resumes = true) {
    net::ClusterConfig config =
        serve_tls(std::move(script),
                  {.identity = ca.issue({}), .client_ca = ca.certificate(), .resumes = resumes});
    const KeyPair ours = ca.issue({.common_name = "ada", .alternative_names = ""});
    config.client_certificate.data = ours.certificate;
    config.client_key.data = ours.key;
    return config;
  }

  void connect(const net::ClusterConfig& config) {
    transport = GetParam()(config, fixture.surroundings());
  }

  Result<client::Response> ask(client::Request request) {
    std::optional<Result<client::Response>> answer;
    transport->send(std::move(request),
                    [&answer](Result<client::Response> result) { answer = std::move(result); });
    if (!fixture.until([&answer] { return answer.has_value(); })) std::abort();
    return *std::move(answer);
  }

  Result<client::Response> get() { return ask({.target = "/version"}); }

  Result<client::Response> write_node() {
    return ask({.method = "PATCH",
                .target = "/api/v1/nodes/n",
                .content_type = "application/merge-patch+json",
                .body = "{}",
                .priority = client::RequestPriority::NodeWrite});
  }

  Result<client::Response> renew_lease() {
    return ask({.method = "PUT",
                .target = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/l",
                .content_type = "application/json",
                .body = "{}",
                .priority = client::RequestPriority::Election});
  }

  /// Every client of the transport opens a connection anew and is answered.
  void expect_all_are_answered(const std::string& when) {
    peer->close_connections();
    fixture.settle();
    for (const auto& answer : {get(), renew_lease(), write_node()}) {
      EXPECT_TRUE(answer && answer->status == 200)
          << when << ": " << (answer ? "refused" : answer.error().path);
    }
    EXPECT_EQ(watch_to_its_end()->calls.back(), "end") << when;
  }

  std::shared_ptr<Heard> watch_to_its_end() {
    auto heard = std::make_shared<Heard>();
    const Subscription line =
        transport->watch({.target = "/w"}, std::make_unique<RecordingReader>(heard));
    EXPECT_TRUE(fixture.until([&heard] { return heard->ended; }));
    return heard;
  }

  std::string failure() {
    const auto answer = get();
    if (answer) return "answered";
    return std::string(name_of(answer.error().fault)) + " " + answer.error().path;
  }

  LoopFixture fixture;
  TestCa ca;
  std::unique_ptr<Peer> peer;
  std::unique_ptr<client::Transport> transport;
};

inline std::string ok_answer(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

inline const std::string chunked_head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

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

// --- watches
// -----------------------------------------------------------------------------------------------------

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

// --- TLS
// ---------------------------------------------------------------------------------------------------------

TEST_P(WireContract, ServerIsTrustedThroughTheGivenCa) {
  connect(serve_tls([](const std::string&) { return Reply{ok_answer("{}")}; },
                    {.identity = ca.issue({})}));
  fixture.gate.open_for_ever();
  for (int i = 0; i < 3; ++i) {
    const auto answer = get();
    ASSERT_TRUE(answer) << answer.error().path;
    ASSERT_TRUE(write_node());
  }
  EXPECT_LE(peer->connections, 2);
}

TEST_P(WireContract, LaterConnectionOfAWriterResumesTheSessionOfAnEarlierOne) {
  connect(serve_tls([](const std::string&) { return Reply{ok_answer("{}")}; },
                    {.identity = ca.issue({})}));
  fixture.gate.open_for_ever();
  ASSERT_TRUE(write_node());
  for (const int resumed : {1, 2}) {
    peer->close_connections();
    fixture.settle();
    ASSERT_TRUE(write_node());
    EXPECT_EQ(peer->resumed, resumed);
  }
}

TEST_P(WireContract, ServerThatBreaksOffWhereASessionIsOfferedIsOfferedNoneAgain) {
  connect(serve_those_with_a_certificate([](const std::string&) { return Reply{ok_answer("{}")}; },
                                         false));
  fixture.gate.open_for_ever();
  for (int connection = 0; connection < 3; ++connection) {
    const auto answer = write_node();
    EXPECT_TRUE(answer) << answer.error().path;
    peer->close_connections();
    fixture.settle();
  }
  EXPECT_EQ(peer->connections, 4);
}

TEST_P(WireContract, SessionEndsWithTheRootsThatItBeganWith) {
  const TemporaryFolder folder;
  net::ClusterConfig config = serve_tls([](const std::string&) { return Reply{ok_answer("{}")}; },
                                        {.identity = ca.issue({})});
  config.ca = {.file = folder.write("ca.crt", ca.certificate()), .data = ""};
  connect(config);
  fixture.gate.open_for_ever();
  ASSERT_TRUE(write_node());
  folder.write("ca.crt", ca.certificate() + TestCa("another CA").certificate());
  peer->close_connections();
  fixture.settle();
  ASSERT_TRUE(write_node());
  EXPECT_EQ(peer->resumed, 0);
}

TEST_P(WireContract, LargeAnswerOverTlsArrivesWhole) {
  std::string large;
  for (int i = 0; large.size() < 3'000'000; ++i) large += std::to_string(i);
  connect(serve_tls([&large](const std::string&) { return Reply{ok_answer(large)}; },
                    {.identity = ca.issue({})}));
  fixture.gate.open_for_ever();
  EXPECT_TRUE(get()->body == large);
  EXPECT_TRUE(write_node()->body == large);
  EXPECT_TRUE(watch_to_its_end()->bytes == large);
}

TEST_P(WireContract, WatchOverTlsTakesRecordsOfSingleBytes) {
  std::string body;
  for (int i = 0; i < 300; ++i) body += std::to_string(i) + "\n";
  connect(serve_tls(
      [&body](const std::string&) {
        return Reply{ok_answer(body), Reply::Then::Keep, true};
      },
      {.identity = ca.issue({})}));
  EXPECT_EQ(watch_to_its_end()->bytes, body);
}

TEST_P(WireContract, ForeignIssuerIsNamedTogetherWithOurCa) {
  const TestCa other("other CA");
  net::ClusterConfig config =
      serve_tls([](const std::string&) { return Reply{}; }, {.identity = other.issue({})});
  connect(config);
  EXPECT_THAT(failure(), testing::AllOf(testing::StartsWith("unavailable https://127.0.0.1:"),
                                        testing::HasSubstr("certificate verify failed: "),
                                        testing::HasSubstr("unknown issuer"),
                                        testing::HasSubstr("CA data of cluster \"test\"")));
  const TemporaryFolder folder;
  config.ca = {.file = folder.write("ca.crt", ca.certificate()), .data = ""};
  connect(config);
  EXPECT_THAT(failure(), testing::HasSubstr("CA file " + folder.path("ca.crt")));
  EXPECT_TRUE(peer->requests.empty());
}

TEST_P(WireContract, ExpiredCertificateIsCalledExpired) {
  connect(serve_tls([](const std::string&) { return Reply{}; },
                    {.identity = ca.issue({.valid_from = -7200, .valid_to = -60})}));
  EXPECT_THAT(failure(),
              testing::HasSubstr(
                  "certificate verify failed: the server's certificate (or its CA's) has expired"));
}

TEST_P(WireContract, CertificateOfTheFutureIsCalledNotYetValid) {
  connect(serve_tls([](const std::string&) { return Reply{}; },
                    {.identity = ca.issue({.valid_from = 3000, .valid_to = 3600})}));
  EXPECT_THAT(failure(), testing::HasSubstr("not yet valid"));
}

TEST_P(WireContract, CertificateForAnotherNameIsRefusedAndNamesOurs) {
  connect(serve_tls([](const std::string&) { return Reply{}; },
                    {.identity = ca.issue({.alternative_names = "DNS:api.example,IP:10.9.9.9"})}));
  EXPECT_THAT(
      failure(),
      testing::HasSubstr(
          "certificate verify failed: the server's certificate is not for the name 127.0.0.1"));
}

TEST_P(WireContract, ServerNameOfTheConfigIsTheOneThatMustBeProven) {
  net::ClusterConfig config =
      serve_tls([](const std::string&) { return Reply{ok_answer("{}")}; },
                {.identity = ca.issue({.alternative_names = "DNS:kubernetes.default.svc"})});
  config.tls_server_name = "kubernetes.default.svc";
  connect(config);
  fixture.gate.open_for_ever();
  const auto answer = get();
  EXPECT_TRUE(answer) << answer.error().path;
  EXPECT_TRUE(write_node());
  config.tls_server_name = "kubernetes.wrong.svc";
  connect(config);
  EXPECT_THAT(failure(), testing::HasSubstr("not for the name kubernetes.wrong.svc"));
}

TEST_P(WireContract, InsecureMeansThatNoCertificateIsChecked) {
  const TestCa other("other CA");
  net::ClusterConfig config = serve_tls([](const std::string&) { return Reply{ok_answer("{}")}; },
                                        {.identity = other.issue({.alternative_names = "DNS:x"})});
  config.ca = {};
  config.insecure = true;
  connect(config);
  fixture.gate.open_for_ever();
  const auto answer = get();
  EXPECT_TRUE(answer) << answer.error().path;
  EXPECT_TRUE(write_node());
}

TEST_P(WireContract, MissingCaFileIsNamed) {
  net::ClusterConfig config =
      serve_tls([](const std::string&) { return Reply{}; }, {.identity = ca.issue({})});
  config.ca = {.file = "/no/such/ca.crt", .data = ""};
  connect(config);
  EXPECT_THAT(failure(), testing::HasSubstr("CA file /no/such/ca.crt: No such file or directory"));
}

TEST_P(WireContract, ServerThatSpeaksNoTlsIsUnavailable) {
  ScriptedServer endpoint;
  auto server = net::HttpServer::listen(fixture.loop, endpoint, {.host = "127.0.0.1", .port = 0});
  ASSERT_TRUE(server);
  net::ClusterConfig config = plain_config((*server)->port());
  config.tls = true;
  config.ca.data = ca.certificate();
  connect(config);
  EXPECT_THAT(failure(), testing::StartsWith("unavailable "));
}

TEST_P(WireContract, ClientCertificateIsShown) {
  connect(
      serve_those_with_a_certificate([](const std::string&) { return Reply{ok_answer("{}")}; }));
  fixture.gate.open_for_ever();
  const auto answer = get();
  EXPECT_TRUE(answer) << answer.error().path;
  EXPECT_TRUE(write_node());
}

TEST_P(WireContract, MissingClientCertificateIsUnavailable) {
  connect(serve_tls([](const std::string&) { return Reply{ok_answer("{}")}; },
                    {.identity = ca.issue({}), .client_ca = ca.certificate()}));
  EXPECT_THAT(failure(), testing::StartsWith("unavailable "));
}

TEST_P(WireContract, ClientKeyThatDoesNotFitIsNamed) {
  net::ClusterConfig config =
      serve_tls([](const std::string&) { return Reply{}; }, {.identity = ca.issue({})});
  const TemporaryFolder folder;
  config.client_certificate.file = folder.write("a.crt", ca.issue({}).certificate);
  config.client_key.file = folder.write("a.key", ca.issue({}).key);
  connect(config);
  EXPECT_THAT(failure(),
              testing::AllOf(testing::HasSubstr("client certificate file " + folder.path("a.crt")),
                             testing::HasSubstr(folder.path("a.key"))));
}

TEST_P(WireContract, RotatedCaIsUsedByNewConnections) {
  const TestCa next("next CA");
  const TemporaryFolder folder;
  net::ClusterConfig config = serve_tls(
      [](const std::string&) {
        return Reply{ok_answer("{}"), Reply::Then::Close};
      },
      {.identity = next.issue({})});
  config.ca = {.file = folder.write("ca.crt", ca.certificate()), .data = ""};
  connect(config);
  ASSERT_FALSE(get());
  folder.write("ca.crt", next.certificate());
  const auto answer = get();
  EXPECT_TRUE(answer) << answer.error().path;
}

TEST_P(WireContract, CaFileThatBreaksEndsNoClientsConnections) {
  const TemporaryFolder folder;
  net::ClusterConfig config = serve_tls([](const std::string&) { return Reply{ok_answer("{}")}; },
                                        {.identity = ca.issue({})});
  const std::string pem = ca.certificate();
  config.ca = {.file = folder.write("ca.crt", pem), .data = ""};
  connect(config);
  fixture.gate.open_for_ever();
  expect_all_are_answered("at first");
  folder.write("ca.crt", "");
  expect_all_are_answered("empty");
  folder.write("ca.crt", "no certificate at all\n");
  expect_all_are_answered("broken");
  folder.write("ca.crt", TestCa("other CA").certificate() + pem.substr(0, pem.size() / 2));
  expect_all_are_answered("cut short");
  std::filesystem::remove(folder.path("ca.crt"));
  expect_all_are_answered("gone");
}

TEST_P(WireContract, ClientCertificateThatIsHalfReplacedEndsNoClientsConnections) {
  const TemporaryFolder folder;
  net::ClusterConfig config =
      serve_those_with_a_certificate([](const std::string&) { return Reply{ok_answer("{}")}; });
  const KeyPair next = ca.issue({.common_name = "ada", .alternative_names = ""});
  config.client_certificate = {.file = folder.write("c.crt", config.client_certificate.data),
                               .data = ""};
  config.client_key = {.file = folder.write("c.key", config.client_key.data), .data = ""};
  connect(config);
  fixture.gate.open_for_ever();
  expect_all_are_answered("at first");
  folder.write("c.crt", next.certificate);
  expect_all_are_answered("without its key");
  folder.write("c.key", next.key);
  expect_all_are_answered("replaced");
  std::filesystem::remove(folder.path("c.key"));
  std::filesystem::remove(folder.path("c.crt"));
  expect_all_are_answered("gone");
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

// --- credentials
// -------------------------------------------------------------------------------------------------

TEST_P(WireContract, TokenIsSentOverTlsOnEveryPriority) {
  net::ClusterConfig config = serve_tls([](const std::string&) { return Reply{ok_answer("{}")}; },
                                        {.identity = ca.issue({})});
  config.token = "s3cret";
  connect(config);
  fixture.gate.open_for_ever();
  ASSERT_TRUE(get());
  ASSERT_TRUE(write_node());
  watch_to_its_end();
  ASSERT_EQ(peer->requests.size(), 3U);
  for (const std::string& request : peer->requests) {
    EXPECT_EQ(header_of(request, "Authorization"), "Bearer s3cret");
  }
}

TEST_P(WireContract, NoCredentialsAreSentWithoutTls) {
  serve([](const std::string&) { return Reply{ok_answer("{}")}; });
  net::ClusterConfig config = plain_config(peer->port());
  config.token = "s3cret";
  config.username = "ada";
  config.password = "lovelace";
  connect(config);
  fixture.gate.open_for_ever();
  ASSERT_TRUE(get());
  ASSERT_TRUE(write_node());
  for (const std::string& request : peer->requests)
    EXPECT_EQ(header_of(request, "Authorization"), "");
}

TEST_P(WireContract, KeptConnectionWhoseClientCertificateRanOutIsOpenedAnew) {
  int expired = 0;  // the number of the connection
  connect(serve_those_with_a_certificate([&](const std::string&) {
    if (peer->connections != expired) return Reply{ok_answer("{}")};
    return Reply{"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"};
  }));
  fixture.gate.open_for_ever();
  for (const std::function<int()>& way :
       {std::function<int()>([this] { return get()->status; }),
        std::function<int()>([this] { return write_node()->status; })}) {
    ASSERT_EQ(way(), 200);
    expired = peer->connections;
    EXPECT_EQ(way(), 200);
    EXPECT_EQ(peer->connections, expired + 1);
  }
}

TEST_P(WireContract, RefusedTokenIsReadAnewAndTheRequestRepeatedOnce) {
  const TemporaryFolder folder;
  net::ClusterConfig config = serve_tls(
      [](const std::string& request) {
        if (header_of(request, "Authorization") == "Bearer new") return Reply{ok_answer("{}")};
        return Reply{"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"};
      },
      {.identity = ca.issue({})});
  config.token_file = folder.write("token", "old\n");
  fixture.gate.open_for_ever();
  const std::vector<std::function<int()>> each_way = {
      [this] { return get()->status; }, [this] { return write_node()->status; },
      [this] { return watch_to_its_end()->calls.back() == "end" ? 200 : 401; }};
  for (const auto& way : each_way) {
    folder.write("token", "old\n");
    connect(config);
    peer->requests.clear();
    EXPECT_EQ(way(), 401);  // The file still holds the refused token: no use to repeat.
    EXPECT_EQ(peer->requests.size(), 1U);
    folder.write("token", "new\n");
    EXPECT_EQ(way(), 200);
    EXPECT_EQ(peer->requests.size(), 3U);
  }
}

}  // namespace nlc::tests

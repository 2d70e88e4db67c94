#pragma once

#include <filesystem>

#include "tests/net/temporary_folder.h"
#include "tests/net/wire_world.h"

/// What every transport promises over TLS: whom it trusts, and what it does when certificates
/// rotate. A part of `WireContract`.
namespace nlc::tests {

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

}  // namespace nlc::tests

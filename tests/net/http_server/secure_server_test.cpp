#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <openssl/ssl.h>
#include <string>

#include "net/credentials/serving_certificate.h"
#include "net/http_server/http_server.h"
#include "tests/memory_log.h"
#include "tests/net/certificates.h"
#include "tests/net/loop_fixture.h"
#include "tests/net/peer.h"
#include "tests/net/scripted_server.h"
#include "tests/net/temporary_folder.h"
#include "tests/net/tls_caller.h"

/// A port that shows a certificate. That requests and streams go over TLS as they do without is
/// held by the contract of transports.
namespace nlc::tests {
namespace {

using std::chrono_literals::operator""ms;
using testing::HasSubstr;

class SecureServerTest : public testing::Test {
 protected:
  void listen(net::ServingFiles files, net::HttpServerOptions options = {}) {
    auto read = net::ServingCertificate::read(std::move(files), fixture.clock, log);
    ASSERT_TRUE(read) << read.error().path;
    certificate = *std::move(read);
    auto listening = net::HttpServer::listen(
        fixture.loop, endpoint, {.host = "127.0.0.1", .port = 0}, options, certificate.get());
    ASSERT_TRUE(listening) << listening.error().path;
    server = *std::move(listening);
    endpoint.always(200, "ok");
  }

  net::ServingFiles issue(const std::string& name) {
    const KeyPair pair = authority.issue({.common_name = name});
    return {.certificate = folder.write("tls.crt", pair.certificate),
            .key = folder.write("tls.key", pair.key)};
  }

  std::unique_ptr<TlsCaller> call(TlsCallerOptions options = {}) {
    auto caller = std::make_unique<TlsCaller>(fixture.loop, server->port(), std::move(options));
    EXPECT_TRUE(fixture.until([&] { return caller->is_greeted() || caller->has_failed(); }));
    return caller;
  }

  bool answers(TlsCaller& caller, const std::string& fields = "") {
    const std::size_t before = caller.received().size();
    caller.send("GET / HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n");
    return fixture.until([&] {
      return caller.received().size() > before && caller.received().ends_with("\r\n\r\nok");
    });
  }

  LoopFixture fixture;
  MemoryLog log;
  TestCa authority;
  TemporaryFolder folder;
  ScriptedServer endpoint;
  std::unique_ptr<net::ServingCertificate> certificate;
  std::unique_ptr<net::HttpServer> server;
};

TEST_F(SecureServerTest, CallerWhoTrustsTheAuthorityIsAnswered) {
  listen(issue("ours"));
  const auto caller = call({.authority = authority.certificate()});
  ASSERT_TRUE(caller->is_greeted());
  EXPECT_TRUE(answers(*caller));
  EXPECT_TRUE(answers(*caller));  // on the same connection
  EXPECT_EQ(caller->name(), "ours");
}

TEST_F(SecureServerTest, TlsIsOneTwoOrNewer) {
  listen({});
  EXPECT_EQ(call()->version(), "TLSv1.3");
  EXPECT_EQ(call({.version_max = TLS1_2_VERSION})->version(), "TLSv1.2");
  EXPECT_TRUE(call({.version_max = TLS1_1_VERSION})->has_failed());
}

TEST_F(SecureServerTest, PlainWordsAreNotAnswered) {
  listen({});
  RawClient caller(fixture.loop, server->port());
  caller.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(fixture.until([&] { return caller.is_closed(); }));
  EXPECT_EQ(caller.received().find("HTTP"), std::string::npos);
  EXPECT_TRUE(endpoint.requests.empty());
}

TEST_F(SecureServerTest, WhoDoesNotShakeHandsInTimeIsLeft) {
  listen({}, {.handshake_timeout = 50ms});
  RawClient silent(fixture.loop, server->port());
  EXPECT_TRUE(fixture.until([&] { return server->connections() == 1; }));
  EXPECT_TRUE(fixture.until([&] { return silent.is_closed(); }));
  EXPECT_TRUE(fixture.until([&] { return server->connections() == 0; }));
}

TEST_F(SecureServerTest, RotatedCertificateIsShownToTheNextCallerAndNobodyIsCutOff) {
  listen(issue("first"));
  const auto before = call();
  EXPECT_EQ(before->name(), "first");
  issue("second");
  const auto after = call();
  EXPECT_EQ(after->name(), "second");
  EXPECT_TRUE(answers(*before));
  EXPECT_TRUE(answers(*after));
  EXPECT_EQ(log.count("serving certificate was replaced"), 1U);
}

TEST_F(SecureServerTest, CallerIsToldThatNothingFollows) {
  listen({});
  const auto caller = call();
  EXPECT_TRUE(answers(*caller, "Connection: close\r\n"));
  EXPECT_TRUE(fixture.until([&] { return caller->is_closed(); }));
  EXPECT_TRUE(caller->was_told_the_end());
  EXPECT_TRUE(fixture.until([&] { return server->connections() == 0; }));
}

TEST_F(SecureServerTest, CallersMayLeaveAtAnyMoment) {
  listen({});
  for (int caller = 0; caller < 8; ++caller) {
    RawClient(fixture.loop, server->port()).send("\x16\x03\x01");
    TlsCaller(fixture.loop, server->port());
    call()->send("GET / HT");
    auto asking = call();
    asking->send("GET / HTTP/1.1\r\n\r\n");
  }
  EXPECT_TRUE(fixture.until([&] { return server->connections() == 0; }));
  EXPECT_TRUE(answers(*call()));
}

}  // namespace
}  // namespace nlc::tests

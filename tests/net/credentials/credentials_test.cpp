#include "net/credentials/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "sim/virtual_time.h"
#include "tests/net/certificates.h"
#include "tests/net/temporary_folder.h"

namespace nlc::tests {
namespace {

using std::chrono_literals::operator""s;

class CountingLog final : public Log {
 public:
  void write(LogLevel, std::string_view message, Fields) override { lines.emplace_back(message); }
  std::vector<std::string> lines;
};

class CredentialsTest : public testing::Test {
 protected:
  CredentialsTest() {
    config.token_file = folder.write("token", "first\n");
    config.user = "ada";
  }

  TemporaryFolder folder;
  net::ClusterConfig config;
  sim::VirtualTime time{WallTime{}};
  CountingLog log;
};

TEST_F(CredentialsTest, TokenFileIsReadAgainAfterFiftySecondsOfUse) {
  net::Credentials credentials(config, time, log);
  EXPECT_EQ(credentials.authorization(), "Bearer first");
  folder.write("token", "second");
  time.run_for(50s - std::chrono::nanoseconds(1));
  EXPECT_EQ(credentials.authorization(), "Bearer first");
  time.run_for(std::chrono::nanoseconds(1));
  EXPECT_EQ(credentials.authorization(), "Bearer second");
}

TEST_F(CredentialsTest, RefusedTokenIsReadAgainAtOnce) {
  net::Credentials credentials(config, time, log);
  const std::string refused = credentials.authorization();
  EXPECT_EQ(credentials.authorization_after(refused), "Bearer first");
  folder.write("token", "second");
  EXPECT_EQ(credentials.authorization_after(refused), "Bearer second");
  EXPECT_EQ(credentials.authorization(), "Bearer second");
}

TEST_F(CredentialsTest, TokenStaysWhenItsFileCannotBeReadAndTheLogSaysSo) {
  net::Credentials credentials(config, time, log);
  ASSERT_EQ(credentials.authorization(), "Bearer first");
  folder.write("token", "  \n");
  time.run_for(50s);
  EXPECT_EQ(credentials.authorization(), "Bearer first");
  EXPECT_EQ(credentials.authorization(), "Bearer first");
  EXPECT_EQ(log.lines,
            std::vector<std::string>{"token file could not be read, the old token stays"});
}

TEST_F(CredentialsTest, TokenOfSeveralLinesIsNoneAndALastLineBreakIsNoPartOfIt) {
  net::Credentials credentials(config, time, log);
  ASSERT_EQ(credentials.authorization(), "Bearer first");
  folder.write("token", "sec\nond");
  time.run_for(50s);
  EXPECT_EQ(credentials.authorization(), "Bearer first");
  config.token_file.clear();
  config.token = "third\n";
  net::Credentials of_text(config, time, log);
  EXPECT_EQ(of_text.authorization(), "Bearer third");
}

TEST_F(CredentialsTest, RefusalThatNoNewTokenHealsIsToldOnceForEachToken) {
  net::Credentials credentials(config, time, log);
  const std::string first = credentials.authorization();
  credentials.authorization_after(first);
  credentials.authorization_after(first);
  EXPECT_EQ(log.lines, std::vector<std::string>{"server does not accept the credentials (401)"});
  folder.write("token", "second");
  const std::string second = credentials.authorization_after(first);
  EXPECT_EQ(log.lines.size(), 1U);
  credentials.authorization_after(second);
  EXPECT_EQ(log.lines.size(), 2U);
}

TEST_F(CredentialsTest, FileWinsOverTheTokenWhichIsItsFallback) {
  config.token = "spare";
  EXPECT_EQ(net::Credentials(config, time, log).authorization(), "Bearer first");
  config.token_file = folder.path("absent");
  EXPECT_EQ(net::Credentials(config, time, log).authorization(), "Bearer spare");
}

TEST_F(CredentialsTest, WhoShowsNothingOverTlsIsWarnedThatHeIsNobody) {
  net::warn_of_no_credentials(config, log);
  EXPECT_TRUE(log.lines.empty());
  config.token_file.clear();
  EXPECT_EQ(net::Credentials(config, time, log).authorization(), "");
  net::warn_of_no_credentials(config, log);
  EXPECT_EQ(log.lines,
            std::vector<std::string>{
                "no credentials are shown to the server, which takes us for system:anonymous"});
  config.tls = false;
  net::warn_of_no_credentials(config, log);
  EXPECT_EQ(log.lines.size(), 1U) << "without TLS nobody asks";
}

TEST_F(CredentialsTest, NothingIsShownWithoutTls) {
  config.tls = false;
  config.token = "spare";
  net::Credentials credentials(config, time, log);
  EXPECT_EQ(credentials.authorization(), "");
  EXPECT_EQ(credentials.authorization_after(""), "");
}

TEST_F(CredentialsTest, TokenFileThatIsTooLongIsNoToken) {
  net::Credentials credentials(config, time, log);
  ASSERT_EQ(credentials.authorization(), "Bearer first");
  folder.write("token", std::string(65 * 1024, 'x'));
  time.run_for(50s);
  EXPECT_EQ(credentials.authorization(), "Bearer first");
  EXPECT_THAT(credentials.trouble().value_or(""),
              testing::EndsWith("token: it is longer than 65536 bytes"));
}

TEST_F(CredentialsTest, TroubleWithTheTokenIsToldOnceAndItsEndOnce) {
  net::Credentials credentials(config, time, log);
  credentials.authorization();
  EXPECT_EQ(credentials.trouble(), std::nullopt);
  folder.write("token", "");
  for (int minute = 0; minute < 10; ++minute) {
    time.run_for(60s);
    credentials.authorization();
  }
  EXPECT_EQ(credentials.trouble(), "token file " + folder.path("token") + ": it is empty");
  EXPECT_THAT(log.lines, testing::ElementsAre("token file could not be read, the old token stays"));
  folder.write("token", "second");
  time.run_for(60s);
  EXPECT_EQ(credentials.authorization(), "Bearer second");
  EXPECT_EQ(credentials.trouble(), std::nullopt);
  EXPECT_THAT(log.lines, testing::ElementsAre("token file could not be read, the old token stays",
                                              "token file can be read again"));
}

/// Certificates in files.
class CertificateFiles : public CredentialsTest {
 protected:
  CertificateFiles() {
    config = {};
    config.ca.file = folder.write("ca.crt", ca.certificate());
    config.client_certificate.file = folder.write("c.crt", ours.certificate);
    config.client_key.file = folder.write("c.key", ours.key);
  }

  const TestCa ca;
  const KeyPair ours = ca.issue({});
  const KeyPair next = ca.issue({});
};

TEST_F(CertificateFiles, WhatHasNotChangedIsTheSameMaterial) {
  net::Credentials credentials(config, time, log);
  const auto first = credentials.tls();
  ASSERT_TRUE(first) << first.error().path;
  EXPECT_EQ(*first, *credentials.tls());
  EXPECT_EQ((*first)->roots, ca.certificate());
  folder.write("ca.crt", ca.certificate());
  EXPECT_EQ(*first, *credentials.tls());
}

TEST_F(CertificateFiles, CertificateIsReplacedTogetherWithItsKey) {
  net::Credentials credentials(config, time, log);
  ASSERT_TRUE(credentials.tls());
  folder.write("c.crt", next.certificate);
  EXPECT_EQ((*credentials.tls())->client_certificate, ours.certificate);
  EXPECT_EQ((*credentials.tls())->client_key, ours.key);
  folder.write("c.key", next.key);
  EXPECT_EQ((*credentials.tls())->client_certificate, next.certificate);
  EXPECT_EQ((*credentials.tls())->client_key, next.key);
}

TEST_F(CertificateFiles, RootsAreReplacedThoughTheCertificateIsBroken) {
  net::Credentials credentials(config, time, log);
  ASSERT_TRUE(credentials.tls());
  const TestCa other("other CA");
  folder.write("c.crt", "");
  folder.write("ca.crt", other.certificate());
  EXPECT_EQ((*credentials.tls())->roots, other.certificate());
  EXPECT_EQ((*credentials.tls())->client_certificate, ours.certificate);
}

TEST_F(CertificateFiles, TroubleIsToldOnceAndItsEndOnce) {
  net::Credentials credentials(config, time, log);
  ASSERT_TRUE(credentials.tls());
  EXPECT_EQ(credentials.trouble(), std::nullopt);
  folder.write("ca.crt", "");
  for (int i = 0; i < 10; ++i) EXPECT_EQ((*credentials.tls())->roots, ca.certificate());
  EXPECT_THAT(credentials.trouble().value_or(""),
              testing::HasSubstr("CA file " + folder.path("ca.crt")));
  EXPECT_THAT(log.lines,
              testing::ElementsAre("certificate files cannot be used, the old ones stay"));
  folder.write("ca.crt", ca.certificate());
  ASSERT_TRUE(credentials.tls());
  EXPECT_EQ(credentials.trouble(), std::nullopt);
  EXPECT_THAT(log.lines, testing::ElementsAre("certificate files cannot be used, the old ones stay",
                                              "certificate files can be used again"));
}

TEST_F(CertificateFiles, TroubleShowsAndEndsWithoutANewConnection) {
  net::Credentials credentials(config, time, log);
  ASSERT_TRUE(credentials.tls());
  credentials.authorization();
  folder.write("ca.crt", "");
  time.run_for(60s);
  credentials.authorization();
  EXPECT_NE(credentials.trouble(), std::nullopt);
  folder.write("ca.crt", ca.certificate());
  time.run_for(10s);
  credentials.authorization();
  EXPECT_EQ(credentials.trouble(), std::nullopt);
}

TEST_F(CertificateFiles, NobodyIsAskedForThePasswordOfAKey) {
  net::Credentials credentials(config, time, log);
  ASSERT_TRUE(credentials.tls());
  folder.write("c.key", encrypted(ours.key, "secret"));
  EXPECT_EQ((*credentials.tls())->client_key, ours.key);
  EXPECT_THAT(credentials.trouble().value_or(""), testing::HasSubstr("c.key: it is encrypted"));
}

TEST_F(CertificateFiles, OneThatHasExpiredTakesNoPlaceOfOneThatHasNot) {
  net::Credentials credentials(config, time, log);
  ASSERT_TRUE(credentials.tls());
  const KeyPair old = ca.issue({.valid_to = -60});
  folder.write("c.key", old.key);
  folder.write("c.crt", old.certificate);
  EXPECT_EQ((*credentials.tls())->client_certificate, ours.certificate);
  EXPECT_THAT(credentials.trouble().value_or(""), testing::HasSubstr("it has expired"));
  folder.write("c.key", next.key);
  folder.write("c.crt", next.certificate);
  EXPECT_EQ((*credentials.tls())->client_certificate, next.certificate);
}

TEST_F(CertificateFiles, OneThatIsNotYetValidTakesNoPlaceOfOneThatHolds) {
  net::Credentials credentials(config, time, log);
  ASSERT_TRUE(credentials.tls());
  const KeyPair early = ca.issue({.valid_from = 600});
  folder.write("c.key", early.key);
  folder.write("c.crt", early.certificate);
  EXPECT_EQ((*credentials.tls())->client_certificate, ours.certificate);
  EXPECT_THAT(credentials.trouble().value_or(""), testing::HasSubstr("it is not yet valid"));
}

TEST_F(CertificateFiles, OneThatHasExpiredIsUsedWhereThereIsNoBetterOne) {
  const KeyPair old = ca.issue({.valid_to = -60});
  folder.write("c.key", old.key);
  folder.write("c.crt", old.certificate);
  net::Credentials credentials(config, time, log);
  EXPECT_EQ((*credentials.tls())->client_certificate, old.certificate);
}

TEST_F(CertificateFiles, OnesThatNeverCouldBeUsedAreAnErrorUntilTheyCan) {
  folder.write("c.key", next.key);
  net::Credentials credentials(config, time, log);
  EXPECT_THAT(credentials.tls().error().path,
              testing::AllOf(testing::HasSubstr(folder.path("c.crt")),
                             testing::HasSubstr(folder.path("c.key"))));
  EXPECT_NE(credentials.trouble(), std::nullopt);
  folder.write("c.crt", next.certificate);
  EXPECT_TRUE(credentials.tls());
  EXPECT_EQ(credentials.trouble(), std::nullopt);
}

}  // namespace
}  // namespace nlc::tests

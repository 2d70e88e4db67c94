#include "net/credentials.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "sim/virtual_time.h"
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

TEST_F(CredentialsTest, NameAndPasswordAreBasic) {
  config.token_file.clear();
  config.username = "Aladdin";
  config.password = "open sesame";
  EXPECT_EQ(net::Credentials(config, time, log).authorization(),
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST_F(CredentialsTest, NothingIsShownWithoutTls) {
  config.tls = false;
  config.token = "spare";
  net::Credentials credentials(config, time, log);
  EXPECT_EQ(credentials.authorization(), "");
  EXPECT_EQ(credentials.authorization_after(""), "");
}

}  // namespace
}  // namespace nlc::tests

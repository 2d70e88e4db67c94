#include "net/http_client/connection.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "net/credentials/credentials.h"
#include "net/credentials/tls_context.h"
#include "tests/net/loop_fixture.h"
#include "tests/net/peer.h"

namespace nlc::tests {
namespace {

/// A connection to a TLS peer, without HTTP's part in it.
class ConnectionTest : public testing::Test {
 protected:
  net::ClusterConfig tls_config() const {
    net::ClusterConfig made = plain_config(peer.port());
    made.tls = true;
    made.ca.data = ca.certificate();
    return made;
  }

  void open() {
    connection.emplace(fixture.loop, config, tls);
    bool opened = false;
    connection->open([&opened](const std::optional<Error>& error) {
      EXPECT_FALSE(error) << error->path;
      opened = true;
    });
    ASSERT_TRUE(fixture.until([&opened] { return opened; }));
  }

  LoopFixture fixture;
  TestCa ca;
  const PeerTls identity{.identity = ca.issue({})};
  Peer peer{fixture.loop, [](const std::string&) { return Reply{}; }, &identity};
  const net::ClusterConfig config = tls_config();
  net::Credentials credentials{config, fixture.clock, fixture.log};
  net::TlsContext tls{credentials};
  std::optional<net::Connection> connection;
};

/// More than any socket takes at once, and given back to the system as soon as it is freed.
std::string long_request() {
  const std::string body(16 * 1024 * 1024, 'x');
  return "PUT / HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST_F(ConnectionTest, LongRequestArrivesThoughWhoeverSentItKeepsNothing) {
  open();
  bool written = false;
  connection->write(long_request(), [&written](const std::optional<Error>& error) {
    EXPECT_FALSE(error) << error->path;
    written = true;
  });
  ASSERT_TRUE(fixture.until([&] { return written && !peer.requests.empty(); }));
  EXPECT_EQ(peer.requests[0], long_request());
}

TEST_F(ConnectionTest, ConnectionMayGoAtAnyMomentOfALongWrite) {
  for (int turns = 0; turns < 40; ++turns) {
    open();
    connection->write(long_request(), [](const std::optional<Error>&) { FAIL(); });
    int turn = 0;
    fixture.until([&] { return turn++ == turns; });
    connection.reset();
    fixture.settle();
  }
}

}  // namespace
}  // namespace nlc::tests

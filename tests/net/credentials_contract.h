#pragma once

#include <functional>
#include <vector>

#include "tests/net/temporary_folder.h"
#include "tests/net/wire_world.h"

/// What every transport does with tokens and certificates of its own. A part of `WireContract`.
namespace nlc::tests {

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

#pragma once

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tests/net/peer.h"
#include "tests/net/socket_world.h"

/// A transport over sockets, and a server that a test plays: what the parts of `WireContract` are
/// written on.
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

}  // namespace nlc::tests

#include "election/asio/asio_election.h"

#include <array>
#include <boost/asio/io_context.hpp>
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "net/http_server/http_server.h"
#include "net/loop/asio_loop.h"
#include "net/loop/system_clock.h"
#include "sim/apiserver/api_server.h"
#include "tests/net/child_process.h"
#include "tests/net/temporary_folder.h"

/// The library that others link, over real sockets, against an embedded server on a port.
namespace nlc::net {
namespace {

using namespace std::chrono_literals;
using election::AsioElection;
using ::testing::HasSubstr;

/// Server and candidates share one context, which this thread runs.
struct Cluster {
  Cluster() {
    auto listening = HttpServer::listen(loop, api, {.host = "127.0.0.1", .port = 0});
    assert(listening);
    port = std::move(*listening);
    kubeconfig = folder.write("kubeconfig", tests::kubeconfig_for(port->address()));
  }

  /// Runs until it holds; whether it does.
  template <typename Condition>
  bool wait_for(Condition holds) {
    const Instant end = clock.now() + 20s;
    while (!holds() && clock.now() < end) context.run_one_for(10ms);
    return holds();
  }

  Result<std::unique_ptr<AsioElection>> candidate(const std::string& identity,
                                                  std::vector<std::string>& told) {
    return AsioElection::begin(
        context,
        {.election = {.identity = identity,
                      .lease_namespace = "default",
                      .lease_name = "example",
                      .lease_duration = 2s,
                      .renew_deadline = 1500ms,
                      .retry_period = 500ms},
         .kubeconfig = kubeconfig},
        {.on_change = [&told](bool leads) { told.push_back(leads ? "started" : "stopped"); }});
  }

  boost::asio::io_context context;
  SystemClock clock;
  AsioLoop loop{clock, context};
  sim::ApiServer api{clock, loop, {}};
  tests::TemporaryFolder folder;
  std::string kubeconfig;
  std::unique_ptr<HttpServer> port;
};

TEST(AsioElection, OneOfTwoLeadsAndTheOtherFollowsWhenItStops) {
  Cluster cluster;
  std::vector<std::string> of_a;
  std::vector<std::string> of_b;
  auto a = cluster.candidate("a", of_a);
  ASSERT_TRUE(a);
  ASSERT_TRUE(cluster.wait_for([&] { return (*a)->may_write(); }));
  auto b = cluster.candidate("b", of_b);
  ASSERT_TRUE(b);
  bool stopped = false;
  (*a)->stop(2s, [&] { stopped = true; });
  EXPECT_FALSE((*a)->may_write());

  EXPECT_TRUE(cluster.wait_for([&] { return stopped && (*b)->leading(); }));
  EXPECT_TRUE(cluster.wait_for([&] { return !of_b.empty(); }));
  EXPECT_EQ(of_a, (std::vector<std::string>{"started", "stopped"}));
  EXPECT_EQ(of_b, (std::vector<std::string>{"started"}));
}

TEST(AsioElection, MayBeDestroyedWhileTheContextLivesOn) {
  Cluster cluster;
  std::vector<std::string> told;
  for (int round = 0; round < 3; ++round) {
    auto one = cluster.candidate("a", told);
    ASSERT_TRUE(one);
    ASSERT_TRUE(cluster.wait_for([&] { return (*one)->leading(); }));
  }
  const std::size_t before = told.size();
  cluster.context.run_for(700ms);
  EXPECT_EQ(told.size(), before);
}

TEST(AsioElection, AnOptionThatCannotBeUsedIsNamed) {
  boost::asio::io_context context;
  const auto refused = AsioElection::begin(context, {.election = {.identity = ""}}, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().path, HasSubstr("identity"));
  const auto lost =
      AsioElection::begin(context, {.election = {.identity = "a"}, .kubeconfig = "/none"}, {});
  ASSERT_FALSE(lost);
  EXPECT_THAT(lost.error().path, HasSubstr("/none"));
}

// --- the example of docs/election-library.md ----------------------------------------------------

std::string text_of(const std::string& path) {
  std::ifstream in(std::string(NLC_SOURCE_DIR) + path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(ElectionExample, StandsInTheGuideAsItIsCompiledAndHasThirtyLines) {
  const std::string example = text_of("/docs/election_example.cpp");
  EXPECT_THAT(text_of("/docs/election-library.md"), HasSubstr("```cpp\n" + example + "```\n"));
  EXPECT_LE(std::count(example.begin(), example.end(), '\n'), 30);
}

/// The example as a process of its own, and what it says.
class Example {
 public:
  explicit Example(const std::string& kubeconfig) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    out_ = ends[0];
    EXPECT_EQ(fcntl(out_, F_SETFL, O_NONBLOCK), 0);
    process.emplace(std::vector<std::string>{NLC_EXAMPLE_PROGRAM, "example-1", kubeconfig},
                    STDOUT_FILENO, ends[1]);
    close(ends[1]);
  }
  Example(const Example&) = delete;
  Example& operator=(const Example&) = delete;
  ~Example() { close(out_); }

  const std::string& said() {
    std::array<char, 4096> bytes{};
    for (ssize_t got = 0; (got = read(out_, bytes.data(), bytes.size())) > 0;) {
      said_.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return said_;
  }

  std::optional<tests::ChildProcess> process;

 private:
  int out_ = -1;
  std::string said_;
};

TEST(ElectionExample, LeadsUntilItIsAskedToEndAndGivesTheLeaseBack) {
  Cluster cluster;
  Example example(cluster.kubeconfig);
  ASSERT_TRUE(cluster.wait_for(
      [&] { return example.said().find("leader: example-1\n") != std::string::npos; }));
  example.process->terminate();
  ASSERT_TRUE(cluster.wait_for([&] { return example.process->ended(); }));
  EXPECT_EQ(example.process->exit_code(), 0);
  EXPECT_THAT(example.said(), HasSubstr("started\n"));
  EXPECT_THAT(example.said(), HasSubstr("leader: example-1\n"));
  EXPECT_THAT(example.said(), HasSubstr("stopped\n"));
  std::vector<std::string> told;
  auto next = cluster.candidate("next", told);
  ASSERT_TRUE(next);
  cluster.context.run_for(500ms);
  EXPECT_TRUE((*next)->leading()) << "nobody has to wait for its lease of 15 s";
}

}  // namespace
}  // namespace nlc::net

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <stdexcept>

#include "bench/feed.h"
#include "net/http_server/http_server.h"
#include "net/loop/stop_signals.h"
#include "net/loop/system_clock.h"
#include "nlc/console/console.h"
#include "runtime/flags.h"

/// A cluster at rest, as its watchers hear it: started by bench_controller --feed.
namespace nlc::bench {
namespace {

/// The first answer is written in one turn, and what is due by then in the next: no sign of a slow
/// reader.
constexpr std::size_t backlog_limit = std::size_t{1} << 30;

struct Flags {
  FeedOptions feed{.recorded = NLC_CONFORMANCE_DIR "/recorded/1.36.3"};
  std::string kubeconfig;
};

int run(const Flags& flags) try {
  const net::SystemClock clock;
  net::AsioLoop loop(clock);
  Feed feed(loop, clock, flags.feed);
  auto port = net::HttpServer::listen(loop, feed, {"127.0.0.1", 0},
                                      {.stream_backlog_limit = backlog_limit});
  if (!port) throw std::runtime_error(port.error().path);
  const std::string trouble =
      workbench::write_kubeconfig(flags.kubeconfig, "http://" + (*port)->address());
  if (!trouble.empty()) throw std::runtime_error(trouble);
  workbench::say("listens on http://" + (*port)->address());
  workbench::say("all nodes and pods run");
  const net::StopSignals signals(loop, [&](int) { loop.stop(); });
  loop.run();
  return 0;
} catch (const std::exception& error) {
  std::cerr << "bench_feed: " << error.what() << "\n";
  return 1;
}

}  // namespace
}  // namespace nlc::bench

int main(int count, char** words) {
  nlc::bench::Flags flags;
  CLI::App app("Tells the watches of a cluster at rest, and stores nothing.", "bench_feed");
  nlc::FlagGroup group(app);
  group.number("--nodes", flags.feed.nodes, "Nodes; each lease is renewed every 10 s",
               {1, 1'000'000});
  group.number("--pods-per-node", flags.feed.pods_per_node, "Pods bound to each", {0, 250});
  app.add_option("--pod-changes", flags.feed.pod_changes_per_second,
                 "So many pods change their status each second")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--kubeconfig", flags.kubeconfig, "Written for who is to watch")
      ->type_name("FILE")
      ->required();
  if (const auto end = nlc::read_arguments(app, {words + 1, words + count}))
    return tell_end("bench_feed", *end);
  return nlc::bench::run(flags);
}

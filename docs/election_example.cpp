#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <iostream>
#include <string>

#include "election/asio/asio_election.h"

int main(int count, char** arguments) {
  if (count != 3) return 2;  // an identity that no other process has, and a kubeconfig
  const std::string identity = arguments[1];
  const auto say = [](const std::string& words) { std::cout << words << std::endl; };
  boost::asio::io_context io;
  auto election = nlc::election::AsioElection::begin(
      io,
      {.election = {.identity = identity, .lease_namespace = "default", .lease_name = "example"},
       .kubeconfig = arguments[2]},
      {.on_change = [&](bool leading) { say(leading ? "started" : "stopped"); },
       .on_new_leader = [&](const std::string& name) { say("leader: " + name); }});
  if (!election) {
    std::cerr << election.error().path << "\n";
    return 1;
  }
  boost::asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&](boost::system::error_code, int) {
    // Work has to have ended here: with the release another may begin.
    (*election)->stop(std::chrono::seconds(2), [&io] { io.stop(); });
  });
  io.run();
}

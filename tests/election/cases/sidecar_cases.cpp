#include "election/sidecar/flags.h"
#include "election/sidecar/pages.h"
#include "tests/election/cases/election_case.h"
#include "tests/election/election_world.h"

/// Cases of the side-car: its command line, and what its port answers.
namespace nlc::election::testing {
namespace {

Differences run_flags(const ElectionCase& one) {
  Differences differences;
  know_all(differences, one.expected,
           {"exit", "messageContains", "L", "D", "P", "namespace", "listening"});
  const auto line = read_sidecar_command_line(yaml::json_of(one.inputs["flags"]));
  if (const yaml::Value& exit = one.expected["exit"]; exit.is_defined()) {
    compare(differences, "exit", line.exit_code == 0 ? "zero" : "nonzero", shown(exit));
  }
  if (const yaml::Value& word = one.expected["messageContains"]; word.is_defined()) {
    const bool said = line.text.find(word.text) != std::string::npos;
    if (!said) differences.push_back("said: " + line.text);
  }
  if (!line.flags) return differences;
  const ElectionOptions options = election_options(*line.flags, "host");
  compare_timing(differences, options, one.expected);
  if (const yaml::Value& listening = one.expected["listening"]; listening.is_defined()) {
    compare(differences, "listening", line.flags->http.empty() ? "false" : "true",
            shown(listening));
  }
  if (const yaml::Value& namespace_ = one.expected["namespace"]; namespace_.is_defined()) {
    compare(differences, "namespace", options.lease_namespace, namespace_.text);
  }
  return differences;
}

/// Save the name, which each has of its own.
ElectionOptions sidecar_options() {
  return election_options(*read_sidecar_command_line({"--election=x"}).flags, "");
}

std::string page(ElectionWorld& world, Contender& who, const std::string& path = "/") {
  SidecarPages pages(who.board, who.metrics, world.time);
  auto heard = std::make_shared<sim::Heard>();
  (void)pages.serve({.method = "GET", .target = path},
                    std::make_unique<sim::RecordingReply>(heard));
  return heard->response->body;
}

/// a leads and crashes, c comes and leads, and b, which never contends, has watched all the time.
Differences run_history(const ElectionCase& one) {
  Differences differences;
  ElectionWorld world;
  Contender a(world, "a", 1, sidecar_options());
  world.time.run_for(1s);
  Contender b(world, "b", 2, sidecar_options());
  b.last_worked = [&] { return Instant{}; };  // it never contends
  b.run(2);
  world.time.run_for(19s);
  a.elector.reset();
  world.time.run_for(5s);
  Contender c(world, "c", 3, sidecar_options());
  world.time.run_for(20s);
  compare(differences, "body", page(world, b), one.expected["body"].text);
  return differences;
}

Differences run_partition(const ElectionCase& one) {
  Differences differences;
  ElectionWorld world;
  Contender a(world, "a", 1, sidecar_options());
  world.time.run_for(30s);
  compare(differences, "body before", page(world, a), R"({"name":"a"})");
  a.link.set_link(Link::Silent);
  world.time.run_for(11s);
  compare(differences, "body", page(world, a), one.expected["body"].text);
  compare(differences, "isLeader", page(world, a, "/isLeader"), R"({"isLeader":false})");
  return differences;
}

Differences run_outage(const ElectionCase& one) {
  Differences differences;
  ElectionWorld world;
  Contender a(world, "a", 1, sidecar_options());
  world.time.run_for(5s);
  a.link.set_link(Link::Refused);
  world.time.run_for(duration_of(one.inputs["outage"]));
  a.link.set_link(Link::Up);
  world.time.run_for(30s);
  if (!a.may_write()) differences.push_back("does not lead again");
  return differences;
}

}  // namespace

Differences run_sidecar(const ElectionCase& one) {
  if (one.inputs["flags"].is_defined()) return run_flags(one);
  if (one.inputs["history"].is_defined()) return run_history(one);
  if (one.inputs["partitionAt"].is_defined()) return run_partition(one);
  if (one.inputs["outage"].is_defined()) return run_outage(one);
  return {"nobody knows this shape"};
}

}  // namespace nlc::election::testing

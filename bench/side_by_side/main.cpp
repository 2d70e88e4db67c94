#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/machine.h"
#include "bench/measures.h"
#include "bench/side_by_side/course.h"
#include "bench/side_by_side/picture.h"
#include "bench/side_by_side/plan.h"
#include "runtime/go_duration.h"
#include "tests/real/rig/kubectl_program.h"

/// kube-controller-manager and node-lifecycle-controller on the same course.
namespace nlc::bench {
namespace {

void progress(const std::string& line) { std::cerr << line << std::endl; }

std::filesystem::path program_of(Brand brand, const Plan& plan) {
  return brand == Brand::Theirs ? real::asset("kube-controller-manager") : plan.controller;
}

Facts facts_of(const Plan& plan) {
  return {{"nodes", std::to_string(plan.nodes)},
          {"pods", std::to_string(std::uint64_t{plan.nodes} * plan.pods_per_node)},
          {"grace", go_duration(plan.grace)},
          {"window", go_duration(plan.window)},
          {"kube-controller-manager", version_of(program_of(Brand::Theirs, plan))},
          {"node-lifecycle-controller", version_of(program_of(Brand::Ours, plan))},
          {"kube-apiserver", version_of(real::asset("kube-apiserver"))},
          {"etcd", version_of(real::asset("etcd")) + ", its data in memory"},
          {"processor", processor_name()},
          {"cores", std::to_string(std::thread::hardware_concurrency())},
          {"memory", memory_size()},
          {"kernel", kernel_name()},
          {"load_at_start", load_average()}};
}

nlohmann::ordered_json object_of(const Facts& facts, const std::array<Outcome, 2>& outcomes) {
  nlohmann::ordered_json whole;
  for (const Fact& fact : facts) whole["facts"][fact.name] = fact.value;
  for (const Brand brand : {Brand::Theirs, Brand::Ours}) {
    const Outcome& outcome = outcomes.at(static_cast<std::size_t>(brand));
    nlohmann::ordered_json& told = whole[std::string(name_of(brand))];
    for (const Measure& measure : outcome.run) told["measures"][measure.key] = measure.value;
    for (const Delays& delays : outcome.delays) {
      told["unknown_after_grace_ms"][delays.what] = delays.milliseconds;
    }
  }
  return whole;
}

void write_pictures(const Plan& plan, const std::array<Outcome, 2>& outcomes) {
  const auto& [theirs, ours] = outcomes;
  for (std::size_t at = 0; at < theirs.delays.size(); ++at) {
    const std::string& what = theirs.delays[at].what;
    std::ofstream(plan.out / ("delays-" + std::to_string(at + 1) + ".svg"))
        << picture_of(what, {{std::string(name_of(Brand::Theirs)), theirs.delays[at].milliseconds},
                             {std::string(name_of(Brand::Ours)), ours.delays.at(at).milliseconds}});
  }
}

void compare(const Plan& plan) {
  const Facts facts = facts_of(plan);
  std::array<Outcome, 2> outcomes;
  for (const Brand brand : {Brand::Theirs, Brand::Ours}) {
    outcomes.at(static_cast<std::size_t>(brand)) =
        run_course(brand, program_of(brand, plan), plan, progress);
  }
  std::filesystem::create_directories(plan.out);
  std::ofstream(plan.out / "side-by-side.json") << object_of(facts, outcomes).dump(2) << "\n";
  write_pictures(plan, outcomes);
  for (const Fact& fact : facts) std::cout << fact.name << ": " << fact.value << "\n";
  std::cout << "\n"
            << comparison({std::string(name_of(Brand::Theirs)), outcomes[0].run},
                          {std::string(name_of(Brand::Ours)), outcomes[1].run})
            << "\nnumbers and pictures are in " << plan.out.string() << "\n";
}

int run(Plan plan) try {
  // etcd on a disk would be what is measured. Whoever wants that says where.
  ::setenv("TMPDIR", "/dev/shm", 0);
  if (plan.controller.empty()) plan.controller = NLC_CONTROLLER_PROGRAM;
  if (plan.workbench.empty()) plan.workbench = NLC_WORKBENCH_PROGRAM;
  compare(plan);
  return 0;
} catch (const std::exception& error) {
  progress(std::string("failed: ") + error.what());
  return 1;
}

}  // namespace
}  // namespace nlc::bench

int main(int count, char** words) {
  const auto line = nlc::bench::read_plan({words + 1, words + count});
  if (line.flags) return nlc::bench::run(*line.flags);
  return nlc::tell_end("side_by_side", {line.exit_code, line.text});
}

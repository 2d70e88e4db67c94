#include <benchmark/benchmark.h>
#include <string>

#include "api/objects.h"
#include "informer/store.h"

/// What it costs to take an object over, without anybody who listens.
namespace nlc::bench {
namespace {

constexpr std::uint32_t leases_in_store = 10'000;

api::NodeLease lease(std::uint32_t number, std::uint64_t version) {
  return {.name = "hollow-" + std::to_string(number),
          .uid = "cdcfbc2a-0db5-44c4-a543-ff0dbcf31da1",
          .resource_version = std::to_string(version),
          .renewed = WallTime(std::chrono::microseconds(version))};
}

/// Building the object is part of the time: `make_lease` tells how much.
void apply_a_lease(benchmark::State& state) {
  informer::Store<api::NodeLease> store;
  std::uint64_t version = 1;
  for (std::uint32_t number = 0; number < leases_in_store; ++number) {
    store.apply(lease(number, version++));
  }
  for (auto turn : state) {
    store.apply(lease(static_cast<std::uint32_t>(version % leases_in_store), version));
    ++version;
  }
}

void make_lease(benchmark::State& state) {
  std::uint64_t version = 1;
  for (auto turn : state) {
    const api::NodeLease made =
        lease(static_cast<std::uint32_t>(version % leases_in_store), version);
    benchmark::DoNotOptimize(made.name.data());
    ++version;
  }
}

BENCHMARK(apply_a_lease);
BENCHMARK(make_lease);

}  // namespace
}  // namespace nlc::bench

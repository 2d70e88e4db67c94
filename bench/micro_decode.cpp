#include <benchmark/benchmark.h>
#include <cassert>
#include <fstream>
#include <string>

#include "api/decode.h"

/// What one event of a watch costs before anybody looks at it.
namespace nlc::bench {
namespace {

/// The first line of a watch as kube-apiserver sent it.
std::string recorded_event(const std::string& file) {
  std::ifstream stream(NLC_CONFORMANCE_DIR "/recorded/1.36.3/" + file);
  std::string line;
  std::getline(stream, line);
  assert(!line.empty());
  return line;
}

template <typename T>
void decode(benchmark::State& state, const std::string& file) {
  const std::string line = recorded_event(file);
  api::Decoder<T> decoder;
  for (auto turn : state) {
    const api::WatchEvent<T> event = decoder.watch_event(line);
    assert(event.problem.empty());
    benchmark::DoNotOptimize(event.object.name.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * line.size()));
}

void decode_lease(benchmark::State& state) {
  decode<api::NodeLease>(state, "watch-leases.watch.jsonl");
}
void decode_node(benchmark::State& state) {
  decode<api::Node>(state, "watch-nodes-initial-events.watch.jsonl");
}
void decode_pod(benchmark::State& state) {
  decode<api::Pod>(state, "watch-pods-graceful-delete.watch.jsonl");
}

BENCHMARK(decode_lease);
BENCHMARK(decode_node);
BENCHMARK(decode_pod);

}  // namespace
}  // namespace nlc::bench

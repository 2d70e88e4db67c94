#include "bench/side_by_side/contender.h"

#include "runtime/go_duration.h"
#include "tests/real/rig/loopback.h"

namespace nlc::bench {
namespace {

using Words = std::vector<std::string>;

/// What node-lifecycle and taint eviction each say once.
constexpr std::string_view synced_words = "Caches are synced";
constexpr std::size_t caches_of_theirs = 2;

Words words_of(Brand brand, const std::filesystem::path& program, const Orders& orders, int port,
               const std::string& name) {
  Words words{
      program.string(), "--kubeconfig=" + orders.kubeconfig.string(),
      "--node-monitor-grace-period=" + go_duration(orders.grace),
      std::string("--leader-elect=") + (orders.election == Election::On ? "true" : "false")};
  if (orders.limits == Limits::Lifted) {
    words.insert(words.end(), {"--kube-api-qps=10000", "--kube-api-burst=10000"});
  }
  if (brand == Brand::Ours) {
    words.push_back("--metrics-bind-address=127.0.0.1:" + std::to_string(port));
    return words;
  }
  words.insert(words.end(),
               {"--controllers=node-lifecycle-controller,taint-eviction-controller",
                "--cert-dir=" + (orders.folder / (name + "-certificates")).string(),
                "--bind-address=127.0.0.1", "--secure-port=" + std::to_string(port), "--v=2"});
  return words;
}

std::size_t count_of(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + word.size())) {
    ++count;
  }
  return count;
}

}  // namespace

Contender::Contender(Brand brand, const std::filesystem::path& program, const Orders& orders,
                     const std::string& name)
    : brand_(brand),
      port_(real::free_port()),
      process_({.words = words_of(brand, program, orders, port_, name),
                .output = orders.folder / (name + ".log")}) {}

bool Contender::synced() const {
  if (brand_ == Brand::Theirs) {
    return count_of(process_.output(), synced_words) >= caches_of_theirs;
  }
  return real::read_page(port_, "/readyz").value_or(real::Page{}).status == 200;
}

std::string_view name_of(Brand brand) {
  return brand == Brand::Theirs ? "kube-controller-manager" : "node-lifecycle-controller";
}

}  // namespace nlc::bench

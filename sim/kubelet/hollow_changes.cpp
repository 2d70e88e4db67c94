#include "sim/kubelet/hollow_changes.h"

#include <string_view>

#include "client/verbs.h"

namespace nlc::sim {
namespace {

constexpr Duration step_period = std::chrono::milliseconds(20);

}  // namespace

HollowChanges::HollowChanges(HollowCluster& cluster, HollowCluster::Env env,
                             std::uint32_t per_second)
    : cluster_(cluster), env_(env), per_second_(per_second), begun_(env.clock.now()) {
  if (per_second_ > 0) step();
}

void HollowChanges::step() {
  const Instant now = env_.clock.now();
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  const auto due = static_cast<std::uint64_t>(seconds * per_second_);
  // What a machine that slept has missed is not made up for, save a second's worth.
  if (due > done_ + per_second_) done_ = due - per_second_;
  for (; done_ < due; ++done_) change_next();
  next_ = env_.executor.run_at(now + step_period, [this] { step(); });
}

void HollowChanges::change_next() {
  HollowKubelet& kubelet = cluster_.kubelet(node_);
  const std::size_t round = round_;
  if (++node_ == cluster_.size()) {
    node_ = 0;
    ++round_;
  }
  const std::size_t pods = kubelet.pods().size();
  if (!kubelet.is_registered() || pods == 0) return;
  const std::string& key = kubelet.pods().key_at(round % pods);
  const std::size_t slash = key.find('/');
  client::patch_pod_status(env_.transport, std::string_view(key).substr(0, slash),
                           std::string_view(key).substr(slash + 1),
                           R"({"status":{"message":"change )" + std::to_string(done_) + R"("}})",
                           [](const Result<api::Pod>&) {});
}

}  // namespace nlc::sim

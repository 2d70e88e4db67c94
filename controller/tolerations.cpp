#include "controller/tolerations.h"

#include <algorithm>

namespace nlc::controller {
namespace {

/// Patience beyond any process's life: more would overflow the clock.
constexpr std::int64_t longest_seconds = std::int64_t{100} * 365 * 24 * 3600;

}  // namespace

bool tolerates(const api::Toleration& toleration, const api::Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.operator_ == "Exists") return true;
  const bool equal = toleration.operator_.empty() || toleration.operator_ == "Equal";
  return equal && toleration.value == taint.value;
}

std::optional<Instant> eviction_deadline(std::span<const api::Toleration> tolerations,
                                         std::span<const SeenTaint> taints, Instant pod_since) {
  std::optional<Instant> deadline;
  for (const SeenTaint& seen : taints) {
    const auto first = std::ranges::find_if(tolerations, [&](const api::Toleration& toleration) {
      return tolerates(toleration, seen.taint);
    });
    const Instant since = std::max(seen.since, pod_since);
    if (first == tolerations.end()) return since;
    if (!first->seconds) continue;
    const std::int64_t seconds = std::clamp(*first->seconds, std::int64_t{0}, longest_seconds);
    const Instant end = since + std::chrono::seconds(seconds);
    deadline = deadline ? std::min(*deadline, end) : end;
  }
  return deadline;
}

}  // namespace nlc::controller

#include "controller/rules/tolerations.h"

#include <algorithm>
#include <string_view>

#include "runtime/earlier.h"
#include "runtime/parse_number.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

/// Toleration seconds beyond any process's life: more would overflow the clock.
constexpr std::int64_t longest_seconds = std::int64_t{100} * 365 * 24 * 3600;

/// Only the one way to write a number: no plus sign, no leading zeros, no blanks.
std::optional<std::int64_t> whole_number(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.size() > 1 && digits.starts_with('0')) return std::nullopt;
  return parse_number<std::int64_t>(text);
}

bool compares(const api::Toleration& toleration, const api::Taint& taint) {
  const std::optional<std::int64_t> limit = whole_number(toleration.value);
  const std::optional<std::int64_t> value = whole_number(taint.value);
  if (!limit || !value) return false;
  if (toleration.operator_ == "Lt") return *value < *limit;
  return toleration.operator_ == "Gt" && *value > *limit;
}

}  // namespace

bool tolerates(const api::Toleration& toleration, const api::Taint& taint,
               Comparisons comparisons) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.operator_ == "Exists") return !planted("exists-does-not-tolerate");
  const bool equal = toleration.operator_.empty() || toleration.operator_ == "Equal";
  if (equal) return toleration.value == taint.value;
  return comparisons == Comparisons::On && compares(toleration, taint);
}

std::optional<Instant> eviction_deadline(std::span<const api::Toleration> tolerations,
                                         std::span<const SeenTaint> taints, Instant pod_since,
                                         Comparisons comparisons) {
  std::optional<Instant> deadline;
  for (const SeenTaint& seen : taints) {
    const auto first = std::ranges::find_if(tolerations, [&](const api::Toleration& toleration) {
      return tolerates(toleration, seen.taint, comparisons);
    });
    const Instant since = std::max(seen.since, pod_since);
    if (first == tolerations.end()) return since;
    if (!first->seconds) continue;
    if (planted("toleration-seconds-ignored")) return since;
    const std::int64_t seconds = std::clamp(*first->seconds, std::int64_t{0}, longest_seconds);
    deadline = earlier(deadline, since + std::chrono::seconds(seconds));
  }
  return deadline;
}

}  // namespace nlc::controller

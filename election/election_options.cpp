#include "election/election_options.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace nlc::election {
namespace {

constexpr std::array every_kind{LockKind::Leases, LockKind::Endpoints, LockKind::ConfigMaps,
                                LockKind::EndpointsLeases, LockKind::ConfigMapsLeases};

constexpr std::array components_of_kubernetes{"kube-controller-manager", "kube-scheduler",
                                              "cloud-controller-manager"};

}  // namespace

std::optional<std::string> lock_of_kubernetes(const std::string& namespace_,
                                              const std::string& name) {
  const bool theirs =
      namespace_ == "kube-system" && std::ranges::count(components_of_kubernetes, name) > 0;
  if (!theirs) return std::nullopt;
  return "is the lock of " + name + " in " + namespace_ +
         ", which would stand still while this one holds it";
}

std::string_view name_of(LockKind kind) {
  switch (kind) {
    case LockKind::Leases:
      return "leases";
    case LockKind::Endpoints:
      return "endpoints";
    case LockKind::ConfigMaps:
      return "configmaps";
    case LockKind::EndpointsLeases:
      return "endpointsleases";
    case LockKind::ConfigMapsLeases:
      return "configmapsleases";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

std::optional<LockKind> lock_kind(std::string_view name) {
  for (const LockKind kind : every_kind) {
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

std::vector<std::string> lock_kinds() {
  std::vector<std::string> names;
  for (const LockKind kind : every_kind) names.emplace_back(name_of(kind));
  return names;
}

std::optional<BadOption> check(const ElectionOptions& options) {
  const Duration lease = options.lease_duration;
  const Duration deadline = options.renew_deadline;
  const Duration period = options.retry_period;
  if (lease <= deadline) {
    return BadOption{"lease_duration", "leaseDuration must be greater than renewDeadline"};
  }
  // In whole numbers: compared as fractions, 12 s would exceed 1.2 times 10 s.
  if (deadline * 10 <= period * 12) {
    return BadOption{"renew_deadline",
                     "renewDeadline must be greater than retryPeriod*JitterFactor"};
  }
  // The deadline is longer.
  if (period <= Duration{0}) {
    return BadOption{"retry_period", "durations must be greater than zero"};
  }
  // Others are told whole seconds: with a fraction they would wait for less than we rely on.
  if (lease != std::chrono::floor<std::chrono::seconds>(lease)) {
    return BadOption{"lease_duration", "leaseDuration must be whole seconds, at least one"};
  }
  if (options.identity.empty()) return BadOption{"identity", "Lock identity is empty"};
  if (!std::ranges::all_of(options.identity, [](char c) { return c > ' ' && c < 0x7f; })) {
    return BadOption{"identity", "the identity must be printable ASCII without spaces"};
  }
  if (options.lease_name.empty()) return BadOption{"lease_name", "the lock's name is empty"};
  if (options.lease_namespace.empty()) {
    return BadOption{"lease_namespace", "the lock's namespace is empty"};
  }
  return std::nullopt;
}

}  // namespace nlc::election

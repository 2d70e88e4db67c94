#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/time.h"

namespace nlc::election {

/// What candidates contend for. All of one election have to use the same, or neighbours of it in a
/// migration: endpoints, endpointsleases, leases (docs/election-library.md).
enum class LockKind : std::uint8_t {
  Leases,
  Endpoints,        ///< an annotation; each renewal wakes whoever watches endpoints
  ConfigMaps,       ///< an annotation
  EndpointsLeases,  ///< both, for the time of a migration
  ConfigMapsLeases,
};

/// By an annotation alone, as until client-go 1.23.
constexpr bool is_old(LockKind kind) {
  return kind == LockKind::Endpoints || kind == LockKind::ConfigMaps;
}

std::string_view name_of(LockKind kind);
std::optional<LockKind> lock_kind(std::string_view name);
/// The names of all kinds, the default's first.
std::vector<std::string> lock_kinds();

/// Why nobody else may contend for that lock: a component of Kubernetes elects by it. Nothing where
/// none does. For command lines, which refuse it so.
std::optional<std::string> lock_of_kubernetes(const std::string& namespace_,
                                              const std::string& name);

struct ElectionOptions {
  /// Of this process, and best of no other, past ones included: a lock that another took under the
  /// same name is waited for like any other's.
  std::string identity;
  std::string lease_namespace = "kube-system";
  std::string lease_name = "node-lifecycle-controller";
  Duration lease_duration = std::chrono::seconds(15);  ///< whole seconds, at least one
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
  LockKind lock = LockKind::Leases;
  std::map<std::string, std::string> labels = {};  ///< put on the lock; others' labels stay
  std::string event_component = {};                ///< source of events; empty: none are sent
  /// With `ElectorEnv::last_worked`: work that has not moved for longer is not led.
  Duration work_limit = std::chrono::seconds(20);

  /// A try may take so long: it must leave the lease time for others (spec/incidents.md "Hung
  /// renewal").
  Duration try_limit() const { return renew_deadline / 3; }
};

/// An option with a value that it cannot have, as a sentence.
struct BadOption {
  std::string option;  ///< "lease_duration"
  std::string message;
};

/// The first thing that is wrong (spec/leader-election.md "Parameters"); nothing when all is well.
std::optional<BadOption> check(const ElectionOptions& options);

}  // namespace nlc::election

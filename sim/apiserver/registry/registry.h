#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/clock.h"
#include "runtime/random.h"
#include "sim/apiserver/registry/deletion.h"
#include "sim/apiserver/registry/patched_object.h"
#include "sim/apiserver/registry/storage.h"
#include "sim/apiserver/types/status_error.h"

namespace nlc::sim {

/// Where a write goes.
struct WriteTarget {
  std::string namespace_name;  ///< empty for cluster-wide kinds
  std::string name;            ///< empty for creations
  std::string subresource;
  bool dry_run = false;  ///< everything but the change
};

struct Written {
  ObjectRef object;
  bool created = false;
};

struct Removed {
  ObjectRef object;   ///< the last state, or, when deletion has only begun, the present one
  bool gone = false;  ///< false: waits for its grace to be used or for finalizers
};

/// All ways in which an object changes, under the server's rules (spec/api-server.md "Writes",
/// spec/leader-election.md "Lock objects"): optimistic concurrency, preconditions, what the server
/// alone may set, status apart from spec, generations, graceful deletion. A write that changes
/// nothing takes no version and makes no event.
///
/// Bodies may carry kind and apiVersion; whether they fit the address is the caller's business.
class Registry {
 public:
  Registry(Storage& storage, const Clock& clock, std::uint64_t seed)
      : storage_(storage), clock_(clock), random_(seed) {}

  Outcome<Written> create(const Resource& resource, const WriteTarget& target,
                          nlohmann::json object);
  Outcome<Written> update(const Resource& resource, const WriteTarget& target,
                          nlohmann::json object);
  Outcome<Written> patch(const Resource& resource, const WriteTarget& target, const Patch& patch);
  Outcome<Removed> remove(const Resource& resource, const WriteTarget& target,
                          const DeleteOptions& options);

  /// POST pods/x/binding: the pod gets its node.
  Outcome<Written> bind(const WriteTarget& target, const nlohmann::json& binding);
  /// POST pods/x/eviction: marked as disrupted, then deleted with grace.
  Outcome<Removed> evict(WriteTarget target, const nlohmann::json& eviction);

  /// Stores an object as it stands, versions apart: how a cluster of any size is made at once.
  ObjectRef load(const Resource& resource, nlohmann::json object);

  /// Sees every object that a client writes, as it is about to become, and may change it: true when
  /// it may have. `before` is null when the object is new. At most one.
  using Admission = std::function<bool(const nlohmann::json* before, nlohmann::json& after)>;
  void on_write(Admission admission) { admission_ = std::move(admission); }

  /// Is told what a client that writes is to be warned of. At most one.
  using Warning = std::function<void(const std::string&)>;
  void on_warning(Warning warning) { warning_ = std::move(warning); }

  static std::string key_of(const Resource& resource, const WriteTarget& target);

 private:
  struct Revision {
    const ObjectRef& stored;
    nlohmann::json before;
    nlohmann::json after;
  };

  std::optional<StatusError> refused_namespace(const Resource& resource,
                                               const WriteTarget& target) const;
  Outcome<Written> store_new(const Resource& resource, const WriteTarget& target,
                             nlohmann::json object);
  Outcome<Written> create_by_update(const Resource& resource, const WriteTarget& target,
                                    nlohmann::json object);
  Outcome<Written> revise(const Resource& resource, const WriteTarget& target, Revision revision);
  Removed finish(const Resource& resource, const WriteTarget& target, const ObjectRef& stored);
  static ObjectRef shown(std::string key, const ObjectRef& before, const nlohmann::json& object);
  ObjectRef keep(const Resource& resource, const WriteTarget& target, const ObjectRef& before,
                 nlohmann::json object, ManagedFields managed);
  void warn(const std::vector<std::string>& texts) const;
  void warn_of_owners(const nlohmann::json& metadata, bool of_patch) const;
  nlohmann::json labels_of_node(std::string_view name) const;
  std::string new_uid();
  std::string generated_name(const std::string& base);

  Storage& storage_;
  const Clock& clock_;
  Random random_;
  Admission admission_;
  Warning warning_;
};

}  // namespace nlc::sim

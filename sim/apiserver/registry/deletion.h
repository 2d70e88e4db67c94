#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "runtime/time.h"
#include "sim/apiserver/registry/storage.h"
#include "sim/apiserver/types/resource.h"
#include "sim/apiserver/types/status_error.h"

/// What a deletion asks for and what it makes of an object (spec/api-server.md "Deleting pods").
namespace nlc::sim {

/// What becomes of the objects that one owns which is deleted. Unset: of those that it keeps in
/// its finalizers, else they are deleted after it.
enum class Propagation : std::uint8_t { Unset, Background, Foreground, Orphan };

struct DeleteOptions {
  std::optional<long long> grace_seconds;
  std::optional<std::string> uid;               ///< precondition; an empty one is never met
  std::optional<std::string> resource_version;  ///< likewise
  Propagation propagation = Propagation::Unset;
  bool dry_run = false;

  static DeleteOptions from(const nlohmann::json& body);
};

std::optional<StatusError> refused_precondition(const Resource& resource,
                                                const StoredObject& stored,
                                                const nlohmann::json& metadata,
                                                const DeleteOptions& options);

/// True when the object is stored once more before it goes: it waits for a kubelet, or for those
/// who have finalizers on it; and even a pod's deletion that waits for nothing is seen twice.
bool is_deleted_in_steps(const Resource& resource, const nlohmann::json& metadata,
                         Propagation propagation);

/// Makes of `object` one whose deletion has begun, or, where it has, takes grace away from it: no
/// further deletion gives any. False when nothing changes.
bool mark_for_deletion(const Resource& resource, nlohmann::json& object,
                       const DeleteOptions& options, WallTime now);

/// True when the deletion of the object has begun and nobody is waited for. A namespace goes when
/// it is empty, which whoever empties it says by its own finalizers.
bool may_go(const Resource& resource, const nlohmann::json& object);

void count_generation(nlohmann::json& metadata);

}  // namespace nlc::sim

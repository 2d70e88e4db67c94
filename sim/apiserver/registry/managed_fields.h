#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "sim/apiserver/types/resource.h"

namespace nlc::sim {

/// All that is kept of `managedFields`, which nobody sees here: as much as tells when a write takes
/// a version because it changes them, though it changes nothing else.
struct ManagedFields {
  bool forgotten = false;  ///< somebody emptied them, or there never were any: nobody is noted
  /// A status write has left it to nobody which template a daemon set has come to.
  bool generation_disowned = false;
  std::uint8_t claimed = 0;  ///< what was written once and is not the writer's to say: a bit each

  bool operator==(const ManagedFields&) const = default;
};

/// What is kept of a new object, which has been read as its type and nothing else.
ManagedFields managed_at_first(const Resource& resource, const nlohmann::json& written);

/// What is kept after a write to what was stored; `whole`: not to a part of it, as its status.
ManagedFields managed_after(ManagedFields before, const Resource& resource,
                            const nlohmann::json& stored, const nlohmann::json& written,
                            bool whole);

}  // namespace nlc::sim

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/result.h"
#include "runtime/time.h"

namespace nlc::api {

/// A whole `coordination.k8s.io/v1` Lease as leader election and kubelets use it. `strategy` and
/// `preferred_holder` belong to somebody else's coordinated election: they are read so that a PUT
/// can keep them.
struct Lease {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string holder;
  std::optional<std::int64_t> duration_seconds;
  std::optional<WallTime> acquired;
  std::optional<WallTime> renewed;
  std::int64_t transitions = 0;
  std::string strategy;
  std::string preferred_holder;
  /// Labels, annotations, owners and finalizers as they were read, as a JSON object; a PUT writes
  /// them back as they are. Empty: none.
  std::string foreign_metadata;
  std::string owner_node;  ///< name of the owning Node; empty: none
  std::string owner_node_uid;
};

/// Malformed when the text is no Lease.
Result<Lease> decode_lease(const std::string& body);

/// The body of a POST (without resourceVersion) or PUT (with).
std::string encode_lease(const Lease& lease);

}  // namespace nlc::api

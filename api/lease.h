#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/result.h"
#include "runtime/time.h"

namespace nlc::api {

/// A whole `coordination.k8s.io/v1` Lease as kubelets use it, and who probes whether a server takes
/// writes. An election has a record of its own (`election/lock/lock_record.h`).
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

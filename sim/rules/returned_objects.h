#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/apiserver/registry/storage.h"
#include "sim/rules/node_seen.h"

namespace nlc::sim::rules {

/// Nodes and pods that were deleted, and that a restore brought back.
class ReturnedObjects {
 public:
  ReturnedObjects(const Storage& storage, const NodesSeen& nodes)
      : storage_(storage), nodes_(nodes) {}

  /// Takes in what was deleted after that version.
  void note_deleted_pods(std::uint64_t version);
  /// Another state took the place of the present one.
  void begin_anew(Instant now) { any_ = any_ || any_pod() || any_node(now); }

  bool any() const { return any_; }

 private:
  bool any_pod() const;
  bool any_node(Instant now) const;

  const Storage& storage_;
  const NodesSeen& nodes_;
  /// Keys of pods, by uid, for another may take the name.
  std::map<std::string, std::string> deleted_pods_;
  bool any_ = false;
};

}  // namespace nlc::sim::rules

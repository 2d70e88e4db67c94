#pragma once

#include <cstddef>
#include <string>

#include "runtime/time.h"
#include "sim/apiserver/registry/storage.h"
#include "sim/scenario/stage/request_match.h"

namespace nlc::sim::scenario {

/// A kubelet posted its status or renewed its lease.
struct HeartbeatSent {
  std::size_t step;  ///< its place on the timeline
  const std::string& node;
  Instant at;
  bool arrived;  ///< else the server does not know of it
  bool last;     ///< the last one of the node in this step
};

/// Somebody who looks on from outside and is told of things as they happen. Changes nothing.
class Onlooker {
 public:
  virtual ~Onlooker() = default;

  virtual void on_heartbeat(const HeartbeatSent& heartbeat) = 0;

  /// The server took a write of the controller, of whatever kind; `storage` is as it left it.
  virtual void on_write(const SentRequest& request, const Storage& storage) = 0;
};

}  // namespace nlc::sim::scenario

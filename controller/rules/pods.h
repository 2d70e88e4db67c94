#pragma once

#include "api/objects.h"

namespace nlc::controller {

/// Whether a pod is to go from a node whose timeout has run out, or has to be told why it goes
/// (spec/node-lifecycle.md "Eviction by timeout"): pods of daemons and finished ones stay.
inline bool leaves_by_timeout(const api::Pod& pod) {
  if (pod.daemon || pod.finished) return false;
  return !pod.deleting || !pod.lost;
}

}  // namespace nlc::controller

#pragma once

#include <functional>
#include <optional>
#include <span>

#include "api/objects.h"
#include "runtime/time.h"

namespace nlc::controller {

/// Whether a toleration tolerates a taint (behaviour.md §13.4 step 1). Operators other than Exists
/// and Equal tolerate nothing.
bool tolerates(const api::Toleration& toleration, const api::Taint& taint);

/// One NoExecute taint of a node, with the moment from which pods' patience with it counts.
struct SeenTaint {
  api::Taint taint;
  Instant since;
};

/// When a pod has to leave a node with these taints: nothing is never, and a moment that is past is
/// now. For each taint the first toleration in pod order that tolerates it counts; a pod that came
/// later than the taint counts from its own coming, `pod_since`.
std::optional<Instant> eviction_deadline(std::span<const api::Toleration> tolerations,
                                         std::span<const SeenTaint> taints, Instant pod_since);

}  // namespace nlc::controller

#pragma once

#include "controller/rules/decision.h"

namespace nlc::controller::testing {

/// All that may be answered about a pod that is evicted, one after the other.
template <typename Eviction>
void answer_all(Eviction& eviction, const PodRef& pod, Instant now) {
  eviction.marked(pod, now);
  eviction.not_marked(pod, {.fault = Fault::Forbidden}, now);
  eviction.evicted(pod, now);
  eviction.refused(pod, {.fault = Fault::Forbidden}, now);
  eviction.not_sent(pod, now);
}

}  // namespace nlc::controller::testing

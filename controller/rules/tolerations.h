#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "api/objects.h"
#include "runtime/time.h"

namespace nlc::controller {

/// Whether the operators Lt and Gt compare: a taint's value less or greater than the toleration's,
/// both whole decimal numbers of 64 bits. While off they tolerate nothing.
enum class Comparisons : std::uint8_t { Off, On };

/// Whether a toleration tolerates a taint (spec/taint-eviction.md "Tolerations"). Operators that
/// are unknown or off, and values that are no numbers where numbers are compared, tolerate nothing.
bool tolerates(const api::Toleration& toleration, const api::Taint& taint,
               Comparisons comparisons = Comparisons::Off);

/// One NoExecute taint of a node, with the moment from which tolerations of it count.
struct SeenTaint {
  api::Taint taint;
  Instant since;
  bool inherited = false;   ///< it was there before this process was: it may be older
  Instant first_seen = {};  ///< by this process; of one that took another's place, of that one
};

/// When a pod has to leave a node with these taints: nothing is never, and a moment that is past is
/// now. For each taint the first toleration in pod order that tolerates it counts; a pod that came
/// later than the taint counts from its own coming, `pod_since`.
std::optional<Instant> eviction_deadline(std::span<const api::Toleration> tolerations,
                                         std::span<const SeenTaint> taints, Instant pod_since,
                                         Comparisons comparisons = Comparisons::Off);

}  // namespace nlc::controller

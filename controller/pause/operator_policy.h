#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.h"
#include "controller/pause/label_selector.h"

/// What the operator asks for while the controller runs: in one ConfigMap, and in one annotation of
/// a node. Text in, values out.
namespace nlc::controller {

/// What is not to be done, each more than the one before it.
enum class Pause : std::uint8_t {
  None,
  Evictions,  ///< no NoExecute taint of ours, no deletion of pods
  All         ///< nor Unknown conditions, other taints, or pods marked NotReady
};
/// "none", "evictions", "all".
std::string_view name_of(Pause pause);
/// These, for people.
inline constexpr std::string_view pause_words = "evictions, all or none";
std::optional<Pause> pause_named(std::string_view word);

/// One line of the key `pause`.
struct PauseOrder {
  enum class Of : std::uint8_t { Everything, Zone, Nodes } of = Of::Everything;
  Pause pause = Pause::None;
  std::string zone;     ///< "REGION/ZONE", either half of it; "-" is a label that a node has not
  LabelSelector nodes;  ///< of all that they have
  std::string text;     ///< as it was written

  /// `zone`: "REGION/ZONE", as people write it.
  bool is_about(std::string_view node_zone, const api::Labels& labels) const;
};

/// What the ConfigMap says; without it, nothing of all that.
struct OperatorPolicy {
  std::vector<PauseOrder> pauses;
  // Pods that are evicted in a second; 0: no limit.
  double pods_per_second = 0;
  double pods_per_second_and_zone = 0;
  /// Nobody is evicted from a zone that is partly or fully disrupted, whatever runs out there.
  bool hold_in_disruption = false;
};

struct ReadPolicy {
  OperatorPolicy policy;
  std::string trouble;  ///< what is wrong and what would be right; empty when all could be read
};

/// Reads a ConfigMap's data, each key for itself: one that cannot be read says what it said before.
/// So does one that is missing beside another that is not known.
ReadPolicy read_operator_policy(const api::Labels& data, const OperatorPolicy& before);

}  // namespace nlc::controller

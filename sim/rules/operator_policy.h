#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.h"
#include "sim/rules/node_selector.h"

namespace nlc::sim::rules {

/// What an operator asks for in the policy's ConfigMap, read by docs/pause.md and by nothing else:
/// which evictions are paused, how many pods may leave in a second, and whether disruption holds
/// them.
class OperatorPolicy {
 public:
  static constexpr std::string_view key = "kube-system/node-lifecycle-controller-policy";

  /// A key that cannot be read changes nothing, nor does one that is missing beside another that is
  /// not known; the others count.
  void read(const api::ConfigMap& config);

  /// Evictions of all nodes are paused.
  bool pauses_everything() const { return pauses_.everything; }
  /// Evictions of that one, by this or by its annotation.
  bool pauses(const api::Node& node) const;
  /// 0: no limit.
  double pods_per_second() const { return pods_per_second_; }
  double pods_per_second_and_zone() const { return pods_per_second_and_zone_; }
  /// No pod leaves a zone that is partly or fully disrupted.
  bool holds_in_disruption() const { return holds_in_disruption_; }

 private:
  struct Pauses {
    bool everything = false;
    std::vector<NodeSelector> nodes;
  };
  static std::optional<Pauses> read_pauses(std::string_view text);
  static bool read_line(std::string_view line, Pauses& pauses);

  Pauses pauses_;
  double pods_per_second_ = 0;
  double pods_per_second_and_zone_ = 0;
  bool holds_in_disruption_ = false;
};

}  // namespace nlc::sim::rules

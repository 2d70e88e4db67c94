#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/objects.h"

namespace nlc::sim::rules {

/// What an operator asks for in the policy's ConfigMap, read by docs/pause.md and by nothing else:
/// which evictions are paused, and how many pods may leave in a second.
class OperatorPolicy {
 public:
  static constexpr std::string_view key = "kube-system/node-lifecycle-controller-policy";

  /// A key that cannot be read changes nothing; the others count.
  void read(const api::ConfigMap& config);

  /// Evictions of all nodes are paused.
  bool pauses_everything() const { return pauses_.everything; }
  /// Evictions of that one, by this or by its annotation.
  bool pauses(const api::Node& node) const;
  /// 0: no limit.
  double pods_per_second() const { return pods_per_second_; }

 private:
  struct Pauses {
    bool everything = false;
    std::vector<std::string> zones;
    std::vector<std::pair<std::string, std::string>> labels;
  };
  static std::optional<Pauses> read_pauses(const std::string& text);

  Pauses pauses_;
  double pods_per_second_ = 0;
};

}  // namespace nlc::sim::rules

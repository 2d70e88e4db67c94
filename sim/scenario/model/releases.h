#pragma once

#include <optional>
#include <string_view>

namespace nlc::sim::scenario {

/// Minor versions of Kubernetes 1, both ends included.
struct Releases {
  int first = 0;
  int last = 0;

  bool meets(const Releases& other) const { return first <= other.last && other.first <= last; }
};
/// The oldest and the newest that docs/spec speaks of.
inline constexpr Releases all_releases{16, 37};

/// "all", ">=1.23", "<=1.20" or "1.29..1.33" and nothing else; nothing for other words.
std::optional<Releases> read_releases(std::string_view text);

/// Whether releases written as ">=1.23", "<=1.20", "1.29..1.33" or "all" include those whose rules
/// are ours: kube-controller-manager from 1.34 on. Remarks in parentheses are passed over; words
/// that are no releases concern everybody.
bool concerns_us(std::string_view releases);

}  // namespace nlc::sim::scenario

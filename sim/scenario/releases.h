#pragma once

#include <string_view>

namespace nlc::sim::scenario {

/// Whether releases written as ">=1.23", "<=1.20", "1.29..1.33" or "all" include those whose rules
/// are ours: kube-controller-manager from 1.34 on. Remarks in parentheses are passed over; words
/// that are no releases concern everybody.
bool concerns_us(std::string_view releases);

}  // namespace nlc::sim::scenario

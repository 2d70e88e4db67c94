#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controller/options/policy.h"

namespace nlc::controller {

/// Flags that are allowed, but together do what hardly anybody wants.
struct Warning {
  std::string_view rule;  ///< one word for each rule, for those who filter
  std::string message;    ///< names the flags, their values and what is needed
};

/// Which of the numbers do not fit each other, or how a kubelet keeps its node alive: its lease is
/// renewed and its status looked at every 10 s, and a dead connection costs it up to 45 s.
/// `requests_per_second` may leave here at most; 0: no limit. `retry_period`: of the election,
/// where there is one.
std::vector<Warning> unsafe_timings(const Policy& policy, double requests_per_second,
                                    std::optional<Duration> retry_period = std::nullopt);

/// Whether there are zones that stop evicting without a word once enough of their nodes are not
/// ready: they are too small for the secondary rate, or there is none.
std::optional<Warning> silent_stop(const Policy& policy, std::span<const int> zone_sizes);

}  // namespace nlc::controller

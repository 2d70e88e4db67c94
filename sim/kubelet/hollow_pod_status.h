#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/time.h"

/// What a hollow kubelet writes about its pods: strategic merge patches for pods/status, each
/// naming the uid it means. Pure.
namespace nlc::sim {

struct PodPlace {
  std::string host_address;
  std::string pod_address;
};

/// Phase Running, all conditions True, all containers ready. `pod` is the object as the server has
/// it, for its containers; nothing when that cannot be read.
std::optional<std::string> running_patch(const std::string& pod, const PodPlace& place,
                                         WallTime started);

/// Phase Succeeded, containers terminated with code 0.
std::optional<std::string> finished_patch(const std::string& pod, WallTime started, WallTime now);

/// Condition Ready alone: True since `started`, as the kubelet has believed all the while.
std::string ready_again_patch(std::string_view uid, WallTime started);

/// DELETE options of the last step: at once, and only this very pod.
std::string removal_options(std::string_view uid);

}  // namespace nlc::sim

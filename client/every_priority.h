#pragma once

#include <array>

#include "client/transport.h"

/// For those who keep something for each priority and try.
namespace nlc::client {

inline constexpr std::array<RequestPriority, priority_count> every_priority{
    RequestPriority::Election,  RequestPriority::NodeStatus, RequestPriority::Verdict,
    RequestPriority::NodeWrite, RequestPriority::List,       RequestPriority::Read,
    RequestPriority::PodWrite,  RequestPriority::Event,      RequestPriority::Review};
inline constexpr std::array<Try, try_count> both_tries{Try::First, Try::Again};

}  // namespace nlc::client

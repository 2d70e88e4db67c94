#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <string_view>

#include "controller/server/server_versions.h"
#include "tests/controller/objects.h"

/// What tests of `ServerVersions` say of a server: what was listed, and what it took.
namespace nlc::controller::testing {

using Evidence = ServerVersions::Evidence;
using Recovery = ServerVersions::Recovery;
using Ours = ServerVersions::Ours;
using ToList = ServerVersions::ToList;
using Lists = ServerVersions::Lists;

inline constexpr Lists listed_once{.nodes = 1, .leases = 1, .pods = 1};
inline constexpr Lists second_lists{.nodes = 2, .leases = 2, .pods = 2};

/// That takes no time.
inline bool renew_lock(ServerVersions& versions, std::string_view version, Instant now,
                       std::uint64_t views = 0) {
  return versions.lease_written(Ours::Lock, version, views, now, now);
}

}  // namespace nlc::controller::testing

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/result.h"

namespace nlc::controller {

/// The two controllers of kube-controller-manager whose work is done here. Each works without the
/// other (against D-TE-11).
struct Controllers {
  bool node_lifecycle = true;
  bool taint_eviction = true;
};

/// What `--controllers` allows, for people.
inline constexpr std::string_view allowed_controllers =
    "must be a list of *, node-lifecycle-controller and taint-eviction-controller (old name: "
    "nodelifecycle), each with - before it to switch it off";

/// Reads the entries of `--controllers` as kube-controller-manager does: the first entry that names
/// a controller decides about it, and without one * does. An entry that is neither is an error, and
/// so is a list that switches everything off; its path says why.
Result<Controllers> read_controllers(const std::vector<std::string>& entries);

}  // namespace nlc::controller

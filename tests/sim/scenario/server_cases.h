#pragma once

#include <string>

#include "tests/sim/scenario/small_case.h"

/// What happens to node0, and what becomes of it, where the API server is in trouble.
namespace nlc::sim::scenario::testing {

inline const std::string node0_beats =
    "{from: 0s, until: 10m, every: 10s, heartbeat: {node: node0, ready: 'True'}}";
inline const std::string node0_dies_at_30s =
    "{from: 0s, until: 30s, every: 10s, heartbeat: {node: node0, ready: 'True'}}";
inline const std::string labelled_node0 =
    "{at: 20s, patch: {kind: Node, name: node0, merge: {metadata: {labels: {a: b}}}}}";

inline const std::string node0_is_alive =
    "{node: {name: node0, conditions: {Ready: {status: 'True'}}}}";
inline const std::string node0_is_unknown =
    "{node: {name: node0, conditions: {Ready: {status: Unknown}}}}";

}  // namespace nlc::sim::scenario::testing

#pragma once

#include "controller/rules/moment.h"
#include "controller/rules/view.h"
#include "tests/controller/objects.h"

namespace nlc::controller::testing {

/// The cluster as last seen, for those who decide by it; empty before a test puts something in.
struct Stores {
  informer::Store<api::Node> nodes;
  informer::Store<api::NodeLease> leases;
  informer::Store<api::Pod> pods;
  informer::Index pods_by_node;

  /// It outlives whoever borrows it.
  View view() const {
    return {.nodes = nodes, .leases = leases, .pods = pods, .pods_by_node = pods_by_node};
  }
};

/// The calendar shows noon at the start.
inline Moment moment_at(Instant now) {
  return {.now = now, .wall = noon + std::chrono::floor<std::chrono::microseconds>(now - start)};
}

}  // namespace nlc::controller::testing

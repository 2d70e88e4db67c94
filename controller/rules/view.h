#pragma once

#include "api/objects.h"
#include "informer/index.h"
#include "informer/store.h"

namespace nlc::controller {

using informer::Slot;

/// The cluster as last seen, borrowed. Decisions copy out of it only what they are about.
struct View {
  const informer::Store<api::Node>& nodes;
  const informer::Store<api::NodeLease>& leases;
  const informer::Store<api::Pod>& pods;
  const informer::Index& pods_by_node;
};

}  // namespace nlc::controller

#pragma once

#include "api/objects.h"

namespace nlc::controller {

/// The deprecated `beta.kubernetes.io` labels that differ from the stable ones they mirror, with
/// the values they should have (spec/node-lifecycle.md "Node labels"). A stable label that is
/// missing asks for nothing.
api::Labels missing_labels(const api::Node& node);

}  // namespace nlc::controller

#pragma once

#include "sim/apiserver/validation/metadata_validation.h"

/// What a node may not say.
namespace nlc::sim {

void check_new_node(const nlohmann::json& node, FieldFaults& faults);
void check_changed_node(const nlohmann::json& before, const nlohmann::json& after,
                        FieldFaults& faults);

}  // namespace nlc::sim

#pragma once

#include "sim/apiserver/validation/metadata_validation.h"

/// What a pod, or a template of pods, may not say.
namespace nlc::sim {

bool is_ip(std::string_view text);
void check_ip(const std::string& ip, const std::string& field, FieldFaults& faults);

/// `field`: where the spec stands, "spec" or "spec.template.spec".
void check_pod_spec(const nlohmann::json& spec, const std::string& field, FieldFaults& faults);
/// What else may not be said of a pod itself, and not of a template.
void check_images(const nlohmann::json& spec, FieldFaults& faults);
/// What else may not be said of a pod that is new.
void check_new_pod(const nlohmann::json& spec, FieldFaults& faults);
void check_pod_change(const nlohmann::json& before, const nlohmann::json& after,
                      FieldFaults& faults);
/// Of two whole pods.
void check_pod_status(const nlohmann::json& before, const nlohmann::json& after,
                      FieldFaults& faults);

}  // namespace nlc::sim

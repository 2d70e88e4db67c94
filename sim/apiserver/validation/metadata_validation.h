#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/apiserver/types/resource.h"
#include "sim/apiserver/types/status_error.h"

/// What may stand in the metadata of every object, and in names wherever they stand.
namespace nlc::sim {

using FieldFaults = std::vector<FieldFault>;

/// "spec.tolerations[2]"
std::string element_of(const std::string& list, std::size_t index);

/// What no name may be, for it is a part of an address.
std::vector<std::string> path_segment_faults(std::string_view name);
/// What is wrong with "prefix/name", as of labels, taints and finalizers.
std::vector<std::string> qualified_name_faults(std::string_view key);
std::vector<std::string> label_value_faults(std::string_view value);
std::vector<std::string> subdomain_faults(std::string_view name);
std::vector<std::string> label_faults(std::string_view name);

/// Adds one fault for each of `whys`.
void add_invalid(const std::string& field, const std::string& shown,
                 const std::vector<std::string>& whys, FieldFaults& faults);

/// Adds one for all that is wrong with a label's value.
void check_label_value(const std::string& field, const std::string& value, FieldFaults& faults);

void check_labels(const nlohmann::json& labels, const std::string& field, FieldFaults& faults);

/// What is the same of all kinds, new or changed: all but the name.
void check_common_metadata(const nlohmann::json& metadata, FieldFaults& faults);
/// Of a new object, as its kind's own rules and as the general ones see it.
void check_new_metadata(const Resource& resource, const nlohmann::json& metadata,
                        FieldFaults& faults);
/// What else all kinds hold to when an object changes.
void check_changed_metadata(const nlohmann::json& before, const nlohmann::json& after,
                            FieldFaults& faults);
void check_finalizer_name(const std::string& name, const std::string& place, FieldFaults& faults);
/// Finalizers that are neither qualified nor known: what the core group asks beyond.
void check_finalizer_names(const nlohmann::json& metadata, FieldFaults& faults);

}  // namespace nlc::sim

#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/endpoint.h"
#include "sim/apiserver/registry/patch.h"
#include "sim/apiserver/requests/request_info.h"
#include "sim/apiserver/requests/write_options.h"
#include "sim/apiserver/types/status_error.h"

/// What a writing request carries: whether it is of the kind and for the object that its address
/// says, and what it says that its kind does not have.
namespace nlc::sim {

struct Asked {
  const RequestInfo& info;
  const client::IncomingRequest& request;
  std::string* warning = nullptr;  ///< where a warning for the client goes, when anybody listens
  bool admission = false;          ///< somebody may change what is written
  Duration* delay = nullptr;       ///< how long the server works on it before it answers
};

/// Adds to the Warning header: one value of it, as clients split it (RFC 7234).
void warn(std::string& warnings, const std::string& text);
void warn(const Asked& asked, const std::string& text);

/// Warns of what a strict decoder refuses, where that is what the client wants.
void warn_of(const Asked& asked, FieldValidation validation,
             const std::vector<std::string>& complaints);

/// The body of a create or an update, read as its type.
Outcome<nlohmann::json> object_body(const Asked& asked, FieldValidation validation);

/// Nothing for a content type that no patch has.
std::optional<PatchType> patch_type(std::string_view content_type);

Outcome<nlohmann::json> patch_body(const Asked& asked, PatchType type, FieldValidation validation);

/// A patch that is none, which is seen only once there is something to patch. A null is made the
/// patch that changes nothing.
std::optional<StatusError> refused_form(nlohmann::json& patch, PatchType type);

}  // namespace nlc::sim

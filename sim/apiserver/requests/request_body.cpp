#include "sim/apiserver/requests/request_body.h"

#include <utility>

#include "sim/apiserver/requests/body_codec.h"
#include "sim/apiserver/types/json_text.h"
#include "sim/apiserver/types/typed_object.h"
#include "sim/apiserver/validation/validation.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

/// The kind that a write to this address carries.
std::string kind_of_body(const RequestInfo& info) {
  const Subresource* subresource = find_subresource(*info.known, info.subresource);
  return std::string(subresource == nullptr ? info.known->kind : subresource->kind);
}

/// A body that says it is of another kind than its address takes. Where it does not say, it is
/// taken to be of the right one.
std::optional<StatusError> refused_kind(const Asked& asked, const Json& body) {
  const RequestInfo& info = asked.info;
  const Resource& resource = *info.known;
  const Subresource* subresource = find_subresource(resource, info.subresource);
  const std::string wanted = kind_of_body(info);
  const bool own = subresource == nullptr || subresource->version.empty();
  std::string home = api_version_of(resource);
  if (!own) {
    home = subresource->group.empty() ? "" : std::string(subresource->group) + "/";
    home += subresource->version;
  }
  const auto said_or = [&body](const char* field, const std::string& otherwise) {
    const std::string said = text_member(body, field);
    return said.empty() ? otherwise : said;
  };
  const std::string kind = said_or("kind", wanted);
  const std::string api_version = said_or("apiVersion", home);
  if (kind == wanted && api_version == home) return std::nullopt;
  const std::string version = api_version.substr(api_version.find('/') + 1);
  const Resource* other = find_kind(api_version, kind);
  if (other == nullptr) return wrong_body(kind, version, wanted, not_registered(kind, api_version));
  return wrong_body(kind, version, wanted,
                    "converting (v1." + kind + ") to (" + go_package(resource) + "." + wanted +
                        "): unknown conversion");
}

/// A body that is no patch, as Go's decoder says it.
StatusError not_a_patch(const Json& body, PatchType type) {
  const std::string found = body.is_boolean() ? "bool" : body.type_name();
  const std::string wanted =
      type == PatchType::JsonPatch ? "[]handlers.jsonPatchOp" : "map[string]interface {}";
  return bad_request((type == PatchType::Strategic ? "" : "error decoding patch: ") +
                     ("json: cannot unmarshal " + found + " into Go value of type " + wanted));
}

/// Of which fields the body has two values, of which the last counts.
std::vector<std::string> doubled_fields(const client::IncomingRequest& request) {
  std::vector<std::string> complaints;
  if (request.content_type.starts_with("application/yaml")) {
    const std::string doubled = strict_yaml_fault(request.body);
    if (!doubled.empty()) complaints.push_back(doubled);
  }
  const bool json =
      request.content_type.empty() || request.content_type.starts_with("application/json");
  if (!json) return complaints;
  for (const std::string& path : doubled_members(request.body))
    complaints.push_back("duplicate field \"" + path + "\"");
  return complaints;
}

/// An apply's body is YAML whatever it looks like.
Outcome<Json> apply_body(const Asked& asked, FieldValidation validation) {
  Outcome<Json> body = read_yaml(asked.request.body);
  const std::string doubled = body ? strict_yaml_fault(asked.request.body) : "";
  if (doubled.empty()) return body;
  warn_of(asked, validation, {doubled});
  if (validation != FieldValidation::Strict) return body;
  return bad_request("error strict decoding YAML: " + doubled);
}

}  // namespace

void warn(std::string& warnings, const std::string& text) {
  warnings += (warnings.empty() ? "299 - " : ", 299 - ") + json_text(text);
}

void warn(const Asked& asked, const std::string& text) {
  if (asked.warning != nullptr) warn(*asked.warning, text);
}

void warn_of(const Asked& asked, FieldValidation validation,
             const std::vector<std::string>& complaints) {
  if (validation != FieldValidation::Warn) return;
  for (const std::string& complaint : complaints) warn(asked, complaint);
}

Outcome<Json> object_body(const Asked& asked, FieldValidation validation) {
  const RequestInfo& info = asked.info;
  const std::string kind = kind_of_body(info);
  Outcome<Json> body = read_body(asked.request.body, asked.request.content_type, kind);
  if (!body) return body;
  if (auto refusal = refused_kind(asked, *body)) return std::move(*refusal);
  const TypedReading reading = read_typed(kind, *body);
  std::vector<std::string> complaints = doubled_fields(asked.request);
  complaints.insert(complaints.end(), reading.complaints.begin(), reading.complaints.end());
  std::string why = reading.fault;
  if (why.empty()) warn_of(asked, validation, complaints);
  if (why.empty() && validation == FieldValidation::Strict) why = strict_fault(complaints);
  if (!why.empty()) return wrong_body(kind, info.known->version, kind, why);
  Json& metadata = (*body)["metadata"];
  // What is done to a pod need not name it again.
  const bool names_itself = info.verb != "create" || !metadata.value("name", "").empty();
  if (auto refusal = refused_address(metadata, info.known->namespaced ? info.namespace_name : "",
                                     names_itself ? info.name : "")) {
    return std::move(*refusal);
  }
  return body;
}

std::optional<PatchType> patch_type(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  if (type == "application/json-patch+json") return PatchType::JsonPatch;
  if (type == "application/merge-patch+json") return PatchType::Merge;
  if (type == "application/strategic-merge-patch+json") return PatchType::Strategic;
  if (type == "application/apply-patch+yaml") return PatchType::Apply;
  return std::nullopt;
}

Outcome<Json> patch_body(const Asked& asked, PatchType type, FieldValidation validation) {
  if (type == PatchType::Apply) return apply_body(asked, validation);
  if (nests_too_deeply(asked.request.body))
    return bad_request("error decoding patch: json: exceeded max depth");
  Json body = Json::parse(asked.request.body, nullptr, false);
  if (body.is_discarded()) return bad_request("invalid JSON patch");
  return body;
}

std::optional<StatusError> refused_form(Json& patch, PatchType type) {
  if (patch.is_null() && type == PatchType::Merge) return bad_request("Invalid JSON Patch");
  if (patch.is_null()) patch = type == PatchType::JsonPatch ? Json::array() : Json::object();
  const bool fits = type == PatchType::JsonPatch ? patch.is_array() : patch.is_object();
  return fits ? std::nullopt : std::optional(not_a_patch(patch, type));
}

}  // namespace nlc::sim

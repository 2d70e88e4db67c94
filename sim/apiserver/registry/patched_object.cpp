#include "sim/apiserver/registry/patched_object.h"

#include "sim/apiserver/types/json_text.h"
#include "sim/apiserver/types/typed_object.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

/// JSON patches may test or name kind and apiVersion, which are not stored.
Json with_type(const Resource& resource, Json object) {
  object["kind"] = resource.kind;
  object["apiVersion"] = api_version_of(resource);
  return object;
}

bool is_of(const Resource& resource, const Json& body) {
  return body.value("kind", Json()) == resource.kind &&
         body.value("apiVersion", Json()) == api_version_of(resource);
}

/// "/v1, Kind=Node"
std::string group_version_kind(const Json& body) {
  const std::string version = text_member(body, "apiVersion");
  return (version.find('/') == std::string::npos ? "/" : "") + version +
         ", Kind=" + text_member(body, "kind");
}

/// What a patch left under a kind that nobody has.
std::string unknown_kind(const Json& object) {
  const std::string kind = text_member(object, "kind");
  const std::string version = text_member(object, "apiVersion");
  if (kind.empty() || version.empty() || find_kind(version, kind) != nullptr) return "";
  return not_registered(kind, version);
}

}  // namespace

Outcome<Json> patched_object(const Resource& resource, const Json& before, const Patch& patch) {
  const bool of_text = patch.type == PatchType::JsonPatch || patch.type == PatchType::Merge;
  if (patch.type == PatchType::Apply && !is_of(resource, patch.body)) {
    return bad_request("invalid object type: " + group_version_kind(patch.body));
  }
  Outcome<Json> after = patched(resource, with_type(resource, before), patch.body, patch.type);
  if (!after) return after;
  const std::string text = of_text ? after->dump() : "";
  const auto refused = [&](const std::string& why) {
    const std::string shown = Json(of_text ? text : go_text(patch.body)).dump();
    return invalid({}, {invalid_value("patch", shown, why)});
  };
  if (!after->is_object()) return refused_by_patch();
  if (of_text) {
    if (const std::string why = kind_fault(*after); !why.empty()) return refused(why);
    if (const std::string why = unknown_kind(*after); !why.empty()) return refused(why);
    if (!text_member(*after, "kind").empty() && text_member(*after, "apiVersion").empty()) {
      if (patch.validation == FieldValidation::Strict)
        return refused("Object 'apiVersion' is missing in '" + after->dump() + "'");
      // A kind of no version is read as nothing: no field is known, and no name is found.
      for (const auto& [field, value] : after->items()) {
        if (field != "kind" && field != "apiVersion")
          patch.complaints.push_back(unknown_field(field));
      }
      return Json{{"metadata", Json::object()}};
    }
  }
  const TypedReading reading = read_typed(resource.kind, *after);
  const std::string& fault = of_text ? reading.fault : reading.fault_of_patch;
  if (!fault.empty()) return refused(fault);
  patch.complaints = reading.complaints;
  if (patch.validation == FieldValidation::Strict && !reading.complaints.empty())
    return refused(strict_fault(reading.complaints));
  return after;
}

}  // namespace nlc::sim

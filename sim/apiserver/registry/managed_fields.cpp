#include "sim/apiserver/registry/managed_fields.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sim/apiserver/types/json_text.h"
#include "sim/apiserver/validation/admission.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

/// A field that the server drops or keeps as it was, after it has noted who wrote it.
struct Claim {
  std::string_view kind;  ///< empty: every kind
  const char* part;
  const char* field;
  bool is_kept;  ///< as it is, once it is there; else it is dropped where it is not there yet
};

constexpr Claim claims[] = {
    {"", "metadata", "deletionTimestamp", true}, {"Namespace", "spec", "finalizers", true},
    {"Node", "spec", "configSource", false},     {"Lease", "spec", "strategy", false},
    {"Lease", "spec", "preferredHolder", false},
};

std::uint8_t claimed_by(const Resource& resource, const Json& stored, const Json& written) {
  std::uint8_t all = 0;
  std::uint8_t bit = 1;
  for (const Claim& claim : claims) {
    const Json& wanted = member(member(written, claim.part), claim.field);
    const Json& there = member(member(stored, claim.part), claim.field);
    const bool has_it = claim.kind.empty() || claim.kind == resource.kind;
    const bool stays = there == wanted || (claim.is_kept && there.is_null());
    if (has_it && !stays && !wanted.is_null()) all |= bit;
    bit = static_cast<std::uint8_t>(bit << 1U);
  }
  return all;
}

/// Nothing that would be somebody's: Go writes zeros of what nobody gave.
bool is_blank(const Json& value) {
  if (value.is_structured()) return std::ranges::all_of(value, is_blank);
  return value.is_null() || value == "" || value == 0 || value == false;
}

bool all_blank_but(const Json& object, std::initializer_list<std::string_view> nobodys) {
  for (const auto& [field, value] : object.items()) {
    if (!is_blank(value) && std::ranges::find(nobodys, field) == nobodys.end()) return false;
  }
  return true;
}

/// What a new object is called is nobody's. A namespace gets a label.
bool says_nothing(const Resource& resource, const Json& written) {
  return resource.kind != "Namespace" &&
         all_blank_but(written, {"kind", "apiVersion", "metadata"}) &&
         all_blank_but(member(written, "metadata"),
                       {"name", "namespace", "uid", "creationTimestamp", "generation",
                        "resourceVersion", "managedFields"});
}

std::string told_generation(const Json& object) {
  return text_member(member(member(object, "metadata"), "annotations"), template_generation);
}

/// How a writer asks for it.
bool forgets(const Json& metadata) {
  const Json& managers = member(metadata, "managedFields");
  if (!managers.is_array()) return false;
  return managers.empty() || (managers.size() == 1 && managers.front().empty());
}

}  // namespace

ManagedFields managed_at_first(const Resource& resource, const Json& written) {
  if (says_nothing(resource, written)) return {.forgotten = true};
  return {.claimed = claimed_by(resource, Json(), written)};
}

ManagedFields managed_after(ManagedFields before, const Resource& resource, const Json& stored,
                            const Json& written, bool whole) {
  if (before.forgotten) return before;
  if (resource.kind == "DaemonSet" && told_generation(written) != told_generation(stored))
    before.generation_disowned = !whole;
  if (!whole) return before;
  if (forgets(member(written, "metadata"))) return {.forgotten = true};
  before.claimed |= claimed_by(resource, stored, written);
  return before;
}

}  // namespace nlc::sim

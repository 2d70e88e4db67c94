#include "sim/apiserver/validation/metadata_validation.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_join.h>
#include <algorithm>
#include <cctype>
#include <set>

#include "runtime/dns_name.h"
#include "sim/apiserver/types/json_text.h"
#include "sim/apiserver/types/typed_object.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_annotation_bytes = 262'144;

constexpr std::string_view qualified_name_rule =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view label_value_rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr std::string_view subdomain_rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view label_rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view qualified_name_form =
    "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used "
    "for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain "
    "prefix and '/' (e.g. 'example.com/MyName')";

bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// Starts and ends with an alphanumeric character, with any of `inner` between.
bool is_word(std::string_view text, std::string_view inner) {
  if (text.empty() || !is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  return std::ranges::all_of(text, [inner](char c) {
    return is_alphanumeric(c) || inner.find(c) != std::string_view::npos;
  });
}

/// Names are counted in characters, of which each is a byte.
std::string at_most(std::size_t most, const char* of = "bytes") {
  return "must be no more than " + std::to_string(most) + " " + of;
}

std::vector<std::string> name_faults(const Resource& resource, std::string_view name) {
  return resource.kind == "Namespace" ? label_faults(name) : subdomain_faults(name);
}

void check_name(const Resource& resource, const Json& metadata, FieldFaults& faults) {
  const bool of_event = resource.kind == "Event";
  std::string base = metadata.value("generateName", "");
  if (!base.empty() && !of_event) {
    // A dash at its end stands between it and what is added.
    const std::string shown = json_text(base);
    if (base.size() > 1 && base.back() == '-') base.back() = 'a';
    add_invalid("metadata.generateName", shown, name_faults(resource, base), faults);
  }
  const std::string name = metadata.value("name", "");
  if (name.empty()) {
    faults.push_back(required_field("metadata.name", "name or generateName is required"));
    return;
  }
  add_invalid("metadata.name", json_text(name),
              of_event ? path_segment_faults(name) : name_faults(resource, name), faults);
}

void check_annotations(const Json& metadata, FieldFaults& faults) {
  const Json& annotations = member(metadata, "annotations");
  std::size_t size = 0;
  for (const auto& [key, value] : annotations.items()) {
    add_invalid("metadata.annotations", json_text(key),
                qualified_name_faults(absl::AsciiStrToLower(key)), faults);
    size += key.size() + value.get_ref<const std::string&>().size();
  }
  if (size > most_annotation_bytes)
    faults.push_back(too_long("metadata.annotations", most_annotation_bytes));
}

void check_owner(const Json& owner, const std::string& place, FieldFaults& faults) {
  for (const char* field : {"apiVersion", "kind", "name", "uid"}) {
    if (owner.value(field, "").empty())
      faults.push_back(required_field(place + "." + field, "must not be empty"));
  }
  if (owner.value("apiVersion", "") == "v1" && owner.value("kind", "") == "Event") {
    faults.push_back(invalid_value(place, go_json("OwnerReference", owner),
                                   "/v1, Kind=Event is disallowed from being an owner"));
  }
}

void check_owners(const Json& metadata, FieldFaults& faults) {
  const Json& owners = member(metadata, "ownerReferences");
  std::string controller;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const Json& owner = owners[i];
    check_owner(owner, element_of("metadata.ownerReferences", i), faults);
    if (!owner.value("controller", false)) continue;
    const std::string its_name = owner.value("kind", "") + "/" + owner.value("name", "");
    if (!controller.empty()) {
      faults.push_back(invalid_value(
          "metadata.ownerReferences", go_json("OwnerReference", owners),
          "Only one reference can have Controller set to true. Found \"true\" in references for " +
              controller + " and " + its_name));
    } else {
      controller = its_name;
    }
  }
}

void check_finalizers(const Json& metadata, FieldFaults& faults) {
  const Json& finalizers = member(metadata, "finalizers");
  for (const Json& finalizer : finalizers) {
    add_invalid("metadata.finalizers", finalizer.dump(),
                qualified_name_faults(finalizer.get<std::string>()), faults);
  }
  const auto has = [&finalizers](const char* name) {
    return std::find(finalizers.begin(), finalizers.end(), name) != finalizers.end();
  };
  if (has("orphan") && has("foregroundDeletion")) {
    faults.push_back(invalid_value("metadata.finalizers", finalizers.dump(),
                                   "finalizer orphan and foregroundDeletion cannot be both set"));
  }
}

/// No new finalizer comes to an object that is being deleted.
void check_new_finalizers(const Json& before, const Json& after, FieldFaults& faults) {
  if (!before.contains("deletionTimestamp")) return;
  const Json& old = member(before, "finalizers");
  std::set<std::string> added;
  for (const Json& finalizer : member(after, "finalizers")) {
    if (std::find(old.begin(), old.end(), finalizer) == old.end()) added.insert(finalizer.dump());
  }
  if (added.empty()) return;
  faults.push_back(forbidden_field("metadata.finalizers",
                                   "no new finalizers can be added if the object is being deleted, "
                                   "found new finalizers []string{" +
                                       absl::StrJoin(added, ", ") + "}"));
}

void check_immutable(const char* field, const Json& before, const Json& after,
                     FieldFaults& faults) {
  const auto now = after.find(field);
  if (now == after.end()) return;  // the server keeps what it has
  const auto old = before.find(field);
  if (old != before.end() && *old == *now) return;
  faults.push_back(
      invalid_value("metadata." + std::string(field), now->dump(), "field is immutable"));
}

}  // namespace

std::string element_of(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

std::vector<std::string> path_segment_faults(std::string_view name) {
  if (name == "." || name == "..") return {"may not be '" + std::string(name) + "'"};
  std::vector<std::string> faults;
  for (const char* illegal : {"/", "%"}) {
    if (name.find(illegal) != std::string_view::npos)
      faults.push_back("may not contain '" + std::string(illegal) + "'");
  }
  return faults;
}

std::vector<std::string> qualified_name_faults(std::string_view key) {
  std::vector<std::string> faults;
  const std::size_t slash = key.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view prefix = key.substr(0, slash);
    if (key.find('/', slash + 1) != std::string_view::npos)
      return {std::string(qualified_name_form)};
    if (prefix.empty()) faults.emplace_back("prefix part must be non-empty");
    if (!prefix.empty()) {
      for (const std::string& why : subdomain_faults(prefix))
        faults.push_back("prefix part " + why);
    }
    key.remove_prefix(slash + 1);
  }
  if (key.empty()) faults.emplace_back("name part must be non-empty");
  if (key.size() > 63) faults.push_back("name part " + at_most(63));
  if (!is_word(key, "-_.")) faults.emplace_back(qualified_name_rule);
  return faults;
}

std::vector<std::string> label_value_faults(std::string_view value) {
  std::vector<std::string> faults;
  if (value.size() > 63) faults.push_back(at_most(63));
  if (!value.empty() && !is_word(value, "-_.")) faults.emplace_back(label_value_rule);
  return faults;
}

std::vector<std::string> subdomain_faults(std::string_view name) {
  std::vector<std::string> faults;
  if (name.size() > 253) faults.push_back(at_most(253, "characters"));
  if (!is_dns_subdomain(name)) faults.emplace_back(subdomain_rule);
  return faults;
}

std::vector<std::string> label_faults(std::string_view name) {
  std::vector<std::string> faults;
  if (name.size() > 63) faults.push_back(at_most(63, "characters"));
  if (!is_dns_label(name)) faults.emplace_back(label_rule);
  return faults;
}

void add_invalid(const std::string& field, const std::string& shown,
                 const std::vector<std::string>& whys, FieldFaults& faults) {
  for (const std::string& why : whys) faults.push_back(invalid_value(field, shown, why));
}

void check_label_value(const std::string& field, const std::string& value, FieldFaults& faults) {
  const std::string whys = absl::StrJoin(label_value_faults(value), ";");
  if (!whys.empty()) faults.push_back(invalid_value(field, json_text(value), whys));
}

void check_labels(const Json& labels, const std::string& field, FieldFaults& faults) {
  for (const auto& [key, value] : labels.items()) {
    add_invalid(field, json_text(key), qualified_name_faults(key), faults);
    add_invalid(field, value.dump(), label_value_faults(value.get_ref<const std::string&>()),
                faults);
  }
}

void check_common_metadata(const Json& metadata, FieldFaults& faults) {
  check_labels(member(metadata, "labels"), "metadata.labels", faults);
  check_annotations(metadata, faults);
  check_owners(metadata, faults);
  check_finalizers(metadata, faults);
}

void check_new_metadata(const Resource& resource, const Json& metadata, FieldFaults& faults) {
  check_name(resource, metadata, faults);
  if (const long long generation = metadata.value("generation", 0LL); generation < 0) {
    faults.push_back(invalid_value("metadata.generation", std::to_string(generation),
                                   "must be greater than or equal to 0"));
  }
  check_common_metadata(metadata, faults);
}

void check_changed_metadata(const Json& before, const Json& after, FieldFaults& faults) {
  check_new_finalizers(before, after, faults);
  check_immutable("uid", before, after, faults);
  // Once it is there, the server keeps it whatever is written.
  if (!before.contains("deletionTimestamp"))
    check_immutable("deletionTimestamp", before, after, faults);
  check_immutable("deletionGracePeriodSeconds", before, after, faults);
}

void check_finalizer_name(const std::string& name, const std::string& place, FieldFaults& faults) {
  const bool standard = name == "kubernetes" || name == "orphan" || name == "foregroundDeletion";
  if (standard || name.find('/') != std::string::npos) return;
  faults.push_back(
      invalid_value(place, json_text(name),
                    "name is neither a standard finalizer name nor is it fully qualified"));
}

void check_finalizer_names(const Json& metadata, FieldFaults& faults) {
  const Json& finalizers = member(metadata, "finalizers");
  for (std::size_t i = 0; i < finalizers.size(); ++i)
    check_finalizer_name(finalizers[i], element_of("metadata.finalizers", i), faults);
}

}  // namespace nlc::sim

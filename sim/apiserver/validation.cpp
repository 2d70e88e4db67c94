#include "sim/apiserver/validation.h"

#include <cctype>
#include <set>
#include <string>

#include "runtime/dns_name.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;
using Faults = std::vector<FieldFault>;

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

std::string json_text(std::string_view text) { return Json(std::string(text)).dump(); }

bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// Starts and ends with an alphanumeric character, with any of `inner` between.
bool is_word(std::string_view text, std::string_view inner) {
  if (text.empty() || !is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  for (const char c : text) {
    if (!is_alphanumeric(c) && inner.find(c) == std::string_view::npos) return false;
  }
  return true;
}

/// What is wrong with "prefix/name" as a key of labels and taints; empty when nothing is.
std::string_view qualified_name_fault(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash != std::string_view::npos) {
    if (!is_dns_subdomain(key.substr(0, slash))) return subdomain_rule;
    key.remove_prefix(slash + 1);
  }
  if (key.size() > 63) return "name part must be no more than 63 bytes";
  return is_word(key, "-_.") ? std::string_view{} : qualified_name_rule;
}

void check_name(const Resource& resource, const Json& metadata, Faults& faults) {
  const std::string name = metadata.value("name", "");
  if (name.empty()) {
    faults.push_back(required_field("metadata.name", "name or generateName is required"));
    return;
  }
  const bool label_only = resource.kind == "Namespace";
  const std::size_t most = label_only ? 63 : 253;
  if (name.size() > most) {
    faults.push_back(invalid_value("metadata.name", json_text(name),
                                   "must be no more than " + std::to_string(most) + " bytes"));
  }
  if (label_only ? !is_dns_label(name) : !is_dns_subdomain(name)) {
    faults.push_back(
        invalid_value("metadata.name", json_text(name), label_only ? label_rule : subdomain_rule));
  }
}

void check_labels(const Json& metadata, Faults& faults) {
  const auto labels = metadata.find("labels");
  if (labels == metadata.end() || !labels->is_object()) return;
  for (const auto& [key, value] : labels->items()) {
    if (const std::string_view why = qualified_name_fault(key); !why.empty()) {
      faults.push_back(invalid_value("metadata.labels", json_text(key), why));
    }
    const std::string text = value.is_string() ? value.get<std::string>() : "";
    if (text.size() > 63) {
      faults.push_back(
          invalid_value("metadata.labels", json_text(text), "must be no more than 63 bytes"));
    }
    if (!text.empty() && !is_word(text, "-_.")) {
      faults.push_back(invalid_value("metadata.labels", json_text(text), label_value_rule));
    }
  }
}

void check_annotations(const Json& metadata, Faults& faults) {
  const auto annotations = metadata.find("annotations");
  if (annotations == metadata.end() || !annotations->is_object()) return;
  for (const auto& [key, value] : annotations->items()) {
    if (const std::string_view why = qualified_name_fault(key); !why.empty()) {
      faults.push_back(invalid_value("metadata.annotations", json_text(key), why));
    }
  }
}

/// The server names them "metadata.taints", although they stand in the spec.
void check_taints(const Json& node, Faults& faults) {
  const Json taints = node.value("spec", Json::object()).value("taints", Json::array());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const Json& taint = taints[i];
    const std::string place = "metadata.taints[" + std::to_string(i) + "]";
    const std::string key = taint.value("key", "");
    const std::string value = taint.value("value", "");
    const std::string effect = taint.value("effect", "");
    if (const std::string_view why = qualified_name_fault(key); !why.empty()) {
      faults.push_back(invalid_value(place + ".key", json_text(key), why));
    }
    if (!value.empty() && !is_word(value, "-_.")) {
      faults.push_back(invalid_value(place + ".value", json_text(value), label_value_rule));
    }
    if (effect.empty()) {
      faults.push_back(required_field(place + ".effect", ""));
    } else if (effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute") {
      faults.push_back(unsupported_value(place + ".effect", json_text(effect),
                                         {"NoSchedule", "PreferNoSchedule", "NoExecute"}));
    }
    if (!seen.insert(key + "\n" + effect).second) {
      const std::string shown = R"({"Key":)" + json_text(key) + R"(,"Value":)" + json_text(value) +
                                R"(,"Effect":)" + json_text(effect) + R"(,"TimeAdded":)" +
                                taint.value("timeAdded", Json()).dump() + "}";
      faults.push_back(duplicate_value(place, shown));
    }
  }
}

void check_number(const Json& spec, const char* field, long long least, Faults& faults) {
  const auto found = spec.find(field);
  if (found == spec.end() || !found->is_number_integer() || found->get<long long>() >= least)
    return;
  faults.push_back(
      invalid_value("spec." + std::string(field), found->dump(),
                    least > 0 ? "must be greater than 0" : "must be greater than or equal to 0"));
}

void check_lease(const Json& lease, Faults& faults) {
  const Json spec = lease.value("spec", Json::object());
  check_number(spec, "leaseDurationSeconds", 1, faults);
  check_number(spec, "leaseTransitions", 0, faults);
  if (spec.contains("preferredHolder") && !spec.value("preferredHolder", "").empty() &&
      spec.value("strategy", "").empty()) {
    faults.push_back(
        forbidden_field("spec.preferredHolder", "may only be specified if `strategy` is defined"));
  }
}

void check_container(const Json& container, const std::string& place, std::set<std::string>& names,
                     Faults& faults) {
  const std::string name = container.value("name", "");
  if (name.empty()) {
    faults.push_back(required_field(place + ".name", ""));
  } else if (!is_dns_label(name)) {
    faults.push_back(invalid_value(place + ".name", json_text(name), label_rule));
  }
  if (!name.empty() && !names.insert(name).second) {
    faults.push_back(duplicate_value(place + ".name", json_text(name)));
  }
  if (container.value("image", "").empty()) faults.push_back(required_field(place + ".image", ""));
}

void check_pod(const Json& pod, Faults& faults) {
  const Json spec = pod.value("spec", Json::object());
  const Json containers = spec.value("containers", Json::array());
  if (!containers.is_array() || containers.empty()) {
    faults.push_back(required_field("spec.containers", ""));
    return;
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    check_container(containers[i], "spec.containers[" + std::to_string(i) + "]", names, faults);
  }
}

void check_event(const Json& event, Faults& faults) {
  const std::string type = event.value("type", "");
  if (event.contains("eventTime") && !event["eventTime"].is_null() && type != "Normal" &&
      type != "Warning") {
    faults.push_back(invalid_value("type", json_text(type), ""));
  }
}

void check_kind(const Resource& resource, const Json& object, Faults& faults) {
  if (resource.kind == "Node") check_taints(object, faults);
  if (resource.kind == "Lease") check_lease(object, faults);
  if (resource.kind == "Pod") check_pod(object, faults);
  if (resource.kind == "Event") check_event(object, faults);
}

/// The spec without what may change after creation, to see whether anything else did.
Json fixed_part(Json spec) {
  for (const char* list : {"containers", "initContainers"}) {
    if (!spec.contains(list) || !spec[list].is_array()) continue;
    for (Json& container : spec[list]) container.erase("image");
  }
  for (const char* field : {"activeDeadlineSeconds", "tolerations", "schedulingGates"})
    spec.erase(field);
  return spec;
}

bool keeps_all_of(const Json& before, const Json& after) {
  for (const Json& toleration : before) {
    bool kept = false;
    for (const Json& candidate : after) {
      Json longer = candidate;
      if (longer.contains("tolerationSeconds") && toleration.contains("tolerationSeconds")) {
        longer["tolerationSeconds"] = toleration["tolerationSeconds"];
      }
      kept = kept || longer == toleration;
    }
    if (!kept) return false;
  }
  return true;
}

void check_pod_update(const Json& before, const Json& after, Faults& faults) {
  const Json old_spec = before.value("spec", Json::object());
  const Json new_spec = after.value("spec", Json::object());
  if (old_spec == new_spec) return;
  if (!keeps_all_of(old_spec.value("tolerations", Json::array()),
                    new_spec.value("tolerations", Json::array()))) {
    faults.push_back(
        forbidden_field("spec.tolerations",
                        "existing toleration can not be modified except its tolerationSeconds"));
  }
  if (fixed_part(old_spec) == fixed_part(new_spec)) return;
  faults.push_back(forbidden_field(
      "spec",
      "pod updates may not change fields other than "
      "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
      "`spec.tolerations` (only additions to existing tolerations),"
      "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously "
      "negative)"));
}

}  // namespace

std::optional<StatusError> refused_address(const Json& metadata, std::string_view namespace_name,
                                           std::string_view name) {
  const std::string home = metadata.value("namespace", "");
  if (!namespace_name.empty() && !home.empty() && home != namespace_name) {
    return bad_request(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  const std::string own = metadata.value("name", "");
  if (name.empty() || own.empty() || own == name) return std::nullopt;
  return bad_request("the name of the object (" + own + ") does not match the name on the URL (" +
                     std::string(name) + ")");
}

Faults faults_of_new(const Resource& resource, const Json& object) {
  Faults faults;
  check_name(resource, object.at("metadata"), faults);
  check_labels(object.at("metadata"), faults);
  check_annotations(object.at("metadata"), faults);
  check_kind(resource, object, faults);
  return faults;
}

Faults faults_of_update(const Resource& resource, const Json& before, const Json& after) {
  Faults faults;
  const std::string uid = after.at("metadata").value("uid", "");
  if (!uid.empty() && uid != before.at("metadata").value("uid", "")) {
    faults.push_back(invalid_value("metadata.uid", json_text(uid), "field is immutable"));
  }
  check_labels(after.at("metadata"), faults);
  check_annotations(after.at("metadata"), faults);
  check_kind(resource, after, faults);
  if (resource.kind == "Pod") check_pod_update(before, after, faults);
  if (faults.empty() || resource.kind == "Lease") return faults;
  // The real server validates an update twice and reports each fault as two causes under one
  // message.
  const Faults once = faults;
  faults.insert(faults.end(), once.begin(), once.end());
  return faults;
}

}  // namespace nlc::sim

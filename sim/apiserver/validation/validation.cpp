#include "sim/apiserver/validation/validation.h"

#include <algorithm>

#include "sim/apiserver/types/json_text.h"
#include "sim/apiserver/types/typed_object.h"
#include "sim/apiserver/validation/node_validation.h"
#include "sim/apiserver/validation/pod_validation.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;
using Faults = FieldFaults;

void check_number(const Json& spec, const std::string& field, const char* key, long long least,
                  Faults& faults) {
  const auto found = spec.find(key);
  if (found == spec.end() || !found->is_number_integer() || found->get<long long>() >= least)
    return;
  faults.push_back(
      invalid_value(field + "." + key, found->dump(),
                    least > 0 ? "must be greater than 0" : "must be greater than or equal to 0"));
}

void check_lease(const Json& lease, Faults& faults) {
  const Json& spec = lease.at("spec");
  check_number(spec, "spec", "leaseDurationSeconds", 1, faults);
  check_number(spec, "spec", "leaseTransitions", 0, faults);
}

/// An event that says when it was by the second is of the old form, and little is asked of it.
void check_event(const Json& event, Faults& faults) {
  const std::string home = event.at("metadata").value("namespace", "");
  const std::string about = event.at("involvedObject").value("namespace", "");
  const bool old_form = event.value("eventTime", Json()).is_null();
  const bool elsewhere = about.empty() ? home != "default" && (old_form || home != "kube-system")
                                       : old_form && about != home;
  if (elsewhere) {
    faults.push_back(invalid_value("involvedObject.namespace", json_text(about),
                                   "does not match event.namespace"));
  }
  if (old_form) return;
  const std::string component = event.value("reportingComponent", "");
  if (component.empty()) faults.push_back(required_field("reportingComponent", ""));
  add_invalid("reportingComponent", json_text(component), qualified_name_faults(component), faults);
  for (const char* field : {"reportingInstance", "action", "reason"}) {
    const std::string text = event.value(field, "");
    if (text.empty()) faults.push_back(required_field(field, ""));
    if (text.size() > 128)
      faults.push_back(invalid_value(field, "\"\"", "can have at most 128 characters"));
  }
  if (event.value("message", "").size() > 1024)
    faults.push_back(invalid_value("message", "\"\"", "can have at most 1024 characters"));
}

void check_daemonset(const Json& object, Faults& faults) {
  const Json& spec = object.at("spec");
  const Json selector = spec.value("selector", Json());
  const Json& of_template = spec.at("template");
  const Json labels = of_template.at("metadata").value("labels", Json::object());
  const Json wanted =
      selector.is_null() ? Json::object() : selector.value("matchLabels", Json::object());
  bool matches = !selector.is_null();
  for (const auto& [key, value] : wanted.items())
    matches = matches && labels.contains(key) && labels[key] == value;
  if (!matches) {
    faults.push_back(invalid_value("spec.template.metadata.labels",
                                   labels.empty() ? "null" : labels.dump(),
                                   "`selector` does not match template `labels`"));
  }
  if (!selector.is_null() && selector.empty()) {
    faults.push_back(
        invalid_value("spec.selector", "{}", "empty selector is invalid for daemonset"));
  }
  check_pod_spec(of_template.at("spec"), "spec.template.spec", faults);
  const std::string restart = of_template.at("spec").value("restartPolicy", "");
  if (restart != "Always") {
    faults.push_back(
        unsupported_value("spec.template.spec.restartPolicy", json_text(restart), {"Always"}));
  }
  if (of_template.at("spec").contains("activeDeadlineSeconds")) {
    faults.push_back(forbidden_field("spec.template.spec.activeDeadlineSeconds",
                                     "activeDeadlineSeconds in DaemonSet is not Supported"));
  }
  check_number(spec, "spec", "minReadySeconds", 0, faults);
  const Json& strategy = spec.at("updateStrategy");
  const std::string type = strategy.value("type", "");
  if (type != "RollingUpdate" && type != "OnDelete") {
    const Json rolling = strategy.value("rollingUpdate", Json());
    const std::string shown =
        rolling.is_null()
            ? "null"
            : R"({"MaxUnavailable":)" + rolling.value("maxUnavailable", Json(0)).dump() +
                  R"(,"MaxSurge":)" + rolling.value("maxSurge", Json(0)).dump() + "}";
    faults.push_back(
        unsupported_value("spec.updateStrategy",
                          R"({"Type":)" + json_text(type) + R"(,"RollingUpdate":)" + shown + "}",
                          {"RollingUpdate", "OnDelete"}));
  }
  check_number(spec, "spec", "revisionHistoryLimit", 0, faults);
}

void check_daemonset_status(const Json& status, Faults& faults) {
  for (const char* count :
       {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady",
        "observedGeneration", "updatedNumberScheduled", "numberAvailable", "numberUnavailable"}) {
    check_number(status, "status", count, 0, faults);
  }
}

void check_endpoint_addresses(const Json& subset, const std::string& place, const char* list,
                              Faults& faults) {
  const Json addresses = subset.value(list, Json::array());
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string ip = addresses[i].value("ip", "");
    const std::string field = element_of(place + "." + list, i) + ".ip";
    if (!is_ip(ip)) {
      check_ip(ip, field, faults);
      faults.push_back(invalid_value(field, json_text(ip), "must be a valid IP address"));
    } else if (ip.starts_with("127.") || ip == "::1") {
      faults.push_back(invalid_value(field, json_text(ip),
                                     "may not be in the loopback range (127.0.0.0/8, ::1/128)"));
    }
  }
}

void check_endpoints(const Json& object, Faults& faults) {
  const Json subsets = object.value("subsets", Json::array());
  for (std::size_t i = 0; i < subsets.size(); ++i) {
    const Json& subset = subsets[i];
    const std::string place = element_of("subsets", i);
    if (!subset.contains("addresses") && !subset.contains("notReadyAddresses"))
      faults.push_back(required_field(place, "must specify `addresses` or `notReadyAddresses`"));
    check_endpoint_addresses(subset, place, "addresses", faults);
    check_endpoint_addresses(subset, place, "notReadyAddresses", faults);
    const Json ports = subset.value("ports", Json::array());
    for (std::size_t j = 0; j < ports.size(); ++j) {
      const std::string field = element_of(place + ".ports", j);
      const std::string name = ports[j].value("name", "");
      if (name.empty() && ports.size() > 1) faults.push_back(required_field(field + ".name", ""));
      if (!name.empty()) add_invalid(field + ".name", json_text(name), label_faults(name), faults);
      const long long port = ports[j].value("port", 0LL);
      if (port < 1 || port > 65535)
        faults.push_back(invalid_value(field + ".port", std::to_string(port),
                                       "must be between 1 and 65535, inclusive"));
      const std::string protocol = ports[j].value("protocol", "");
      if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP")
        faults.push_back(
            unsupported_value(field + ".protocol", json_text(protocol), {"SCTP", "TCP", "UDP"}));
    }
  }
}

std::vector<std::string> config_key_faults(const std::string& key) {
  constexpr std::string_view rule =
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
      "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
  std::vector<std::string> faults;
  if (key.size() > 253) faults.emplace_back("must be no more than 253 bytes");
  const bool allowed = key.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                           "0123456789-_.") == std::string::npos;
  if (key.empty() || !allowed) faults.emplace_back(rule);
  if (key == ".") faults.emplace_back("must not be '.'");
  if (key == "..") faults.emplace_back("must not be '..'");
  if (key != ".." && key.starts_with("..")) faults.emplace_back("must not start with '..'");
  return faults;
}

void check_configmap(const Json& object, Faults& faults) {
  const Json binary = object.value("binaryData", Json::object());
  for (const char* bag : {"data", "binaryData"}) {
    const Json entries = object.value(bag, Json::object());
    for (const auto& [key, value] : entries.items()) {
      const std::string field = std::string(bag) + "[" + key + "]";
      add_invalid(field, json_text(key), config_key_faults(key), faults);
      if (bag == std::string_view("data") && binary.contains(key))
        faults.push_back(
            invalid_value(field, json_text(key), "duplicate of key present in binaryData"));
    }
  }
}

void check_changed_configmap(const Json& before, const Json& after, Faults& faults) {
  if (before.value("immutable", false)) {
    const std::string why = "field is immutable when `immutable` is set";
    if (!after.value("immutable", false)) faults.push_back(forbidden_field("immutable", why));
    for (const char* bag : {"data", "binaryData"}) {
      if (before.value(bag, Json()) != after.value(bag, Json()))
        faults.push_back(forbidden_field(bag, why));
    }
  }
  check_configmap(after, faults);
}

void check_namespace_phase(const Json& object, Faults& faults) {
  const bool ending = object.at("metadata").contains("deletionTimestamp");
  const std::string phase = object.at("status").value("phase", "");
  if (phase == (ending ? "Terminating" : "Active")) return;
  faults.push_back(
      invalid_value("status.Phase", json_text(phase),
                    ending ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                           : "may only be 'Active' if `deletionTimestamp` is empty"));
}

/// A new namespace is told of its whole list, a finalized one of the element.
void check_namespace_finalizers(const Json& object, bool is_new, Faults& faults) {
  const std::string field = "spec.finalizers";
  const Json finalizers = object.at("spec").value("finalizers", Json::array());
  for (std::size_t i = 0; i < finalizers.size(); ++i) {
    const std::string place = is_new ? field : element_of(field, i);
    add_invalid(place, finalizers[i].dump(),
                qualified_name_faults(finalizers[i].get<std::string>()), faults);
    check_finalizer_name(finalizers[i], place, faults);
  }
}

void check_kind(const Resource& resource, const Json& object, Faults& faults) {
  if (resource.kind == "Node") check_new_node(object, faults);
  if (resource.kind == "Lease") check_lease(object, faults);
  if (resource.kind == "Pod") {
    check_pod_spec(object.at("spec"), "spec", faults);
    check_images(object.at("spec"), faults);
    check_new_pod(object.at("spec"), faults);
  }
  if (resource.kind == "Event") check_event(object, faults);
  if (resource.kind == "DaemonSet") check_daemonset(object, faults);
  if (resource.kind == "Endpoints") check_endpoints(object, faults);
  if (resource.kind == "ConfigMap") check_configmap(object, faults);
  if (resource.kind == "Namespace") check_namespace_finalizers(object, true, faults);
}

void check_changed_daemonset(const ObjectChange& change, Faults& faults) {
  if (change.subresource == "status")
    return check_daemonset_status(change.after.at("status"), faults);
  const Json selector = change.after.at("spec").value("selector", Json());
  if (selector != change.before.at("spec").value("selector", Json()))
    faults.push_back(
        invalid_value("spec.selector", go_json("LabelSelector", selector), "field is immutable"));
  check_daemonset(change.after, faults);
}

void check_changed_pod(const ObjectChange& change, Faults& faults) {
  if (change.subresource == "status") return check_pod_status(change.before, change.after, faults);
  check_pod_spec(change.after.at("spec"), "spec", faults);
  check_images(change.after.at("spec"), faults);
  check_pod_change(change.before.at("spec"), change.after.at("spec"), faults);
}

void check_changed_kind(const Resource& resource, const ObjectChange& change, Faults& faults) {
  if (resource.kind == "Node") check_changed_node(change.before, change.after, faults);
  if (resource.kind == "Lease") check_lease(change.after, faults);
  if (resource.kind == "Pod") check_changed_pod(change, faults);
  if (resource.kind == "Event") check_event(change.after, faults);
  if (resource.kind == "DaemonSet") check_changed_daemonset(change, faults);
  if (resource.kind == "Endpoints") check_endpoints(change.after, faults);
  if (resource.kind == "ConfigMap") check_changed_configmap(change.before, change.after, faults);
  if (resource.kind == "Namespace" && change.subresource == "status")
    check_namespace_phase(change.after, faults);
  if (resource.kind == "Namespace" && change.subresource != "status")
    check_namespace_finalizers(change.after, change.subresource.empty(), faults);
}

bool has_judged_finalizers(const Resource& resource) {
  return resource.kind != "Event" && resource.kind != "Lease";
}

bool is_of_core(const Resource& resource) {
  return resource.group.empty() && resource.kind != "Event";
}

}  // namespace

std::optional<StatusError> refused_address(const Json& metadata, std::string_view namespace_name,
                                           std::string_view name) {
  const std::string home = metadata.value("namespace", "");
  if (!namespace_name.empty() && !home.empty() && home != namespace_name) {
    return bad_request(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  if (name.empty()) return std::nullopt;
  const std::string own = metadata.value("name", "");
  if (own == name) return std::nullopt;
  if (own.empty()) {
    return bad_request("the name of the object (" + std::string(name) +
                       " based on URL) was undeterminable: name must be provided");
  }
  return bad_request("the name of the object (" + own + ") does not match the name on the URL (" +
                     std::string(name) + ")");
}

Faults faults_of_new(const Resource& resource, const Json& object) {
  Faults faults;
  const Json& metadata = object.at("metadata");
  check_new_metadata(resource, metadata, faults);
  if (has_judged_finalizers(resource)) check_finalizer_names(metadata, faults);
  check_kind(resource, object, faults);
  return faults;
}

/// The real server looks at some things twice, and tells each fault once.
Faults faults_of_update(const Resource& resource, const ObjectChange& change) {
  Faults faults;
  const Json& before = change.before.at("metadata");
  const Json& after = change.after.at("metadata");
  check_common_metadata(after, faults);
  check_changed_metadata(before, after, faults);
  const bool as_new = is_of_core(resource) && change.subresource.empty();
  if (as_new) check_new_metadata(resource, after, faults);
  if (has_judged_finalizers(resource)) check_finalizer_names(after, faults);
  if (as_new && resource.kind == "Node") check_new_node(change.after, faults);
  check_changed_kind(resource, change, faults);
  Faults once;
  for (FieldFault& fault : faults) {
    const bool told = std::ranges::any_of(once, [&fault](const FieldFault& each) {
      return each.field == fault.field && each.text == fault.text;
    });
    if (!told) once.push_back(std::move(fault));
  }
  return once;
}

}  // namespace nlc::sim

#include "sim/apiserver/validation/pod_validation.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "runtime/dns_name.h"
#include "runtime/words.h"
#include "sim/apiserver/types/json_text.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

constexpr long long most_seconds = std::numeric_limits<std::int32_t>::max();

std::string between(long long least, long long most) {
  return "must be between " + std::to_string(least) + " and " + std::to_string(most) +
         ", inclusive";
}

void check_one_of(const Json& object, const char* key, const std::string& field,
                  const std::vector<std::string>& allowed, FieldFaults& faults) {
  const std::string value = object.value(key, "");
  if (value.empty() || std::ranges::find(allowed, value) != allowed.end()) return;
  faults.push_back(unsupported_value(field + "." + key, json_text(value), allowed));
}

void check_limits(const Json& container, const std::string& place, FieldFaults& faults) {
  const Json resources = container.value("resources", Json::object());
  const Json limits = resources.value("limits", Json::object());
  const Json requests = resources.value("requests", Json::object());
  for (const auto& [name, quantity] : requests.items()) {
    const auto number = [](const Json& text) { return std::atof(text.get<std::string>().c_str()); };
    if (!limits.contains(name) || limits[name] == quantity) continue;
    const bool same_suffix =
        limits[name].get<std::string>().find_first_not_of("0123456789.") == std::string::npos &&
        quantity.get<std::string>().find_first_not_of("0123456789.") == std::string::npos;
    if (!same_suffix || number(quantity) <= number(limits[name])) continue;
    faults.push_back(invalid_value(
        place + ".resources.requests", quantity.dump(),
        "must be less than or equal to " + name + " limit of " + limits[name].get<std::string>()));
  }
}

void check_mounts(const Json& container, const std::string& place,
                  const std::set<std::string>& volumes, FieldFaults& faults) {
  const Json mounts = container.value("volumeMounts", Json::array());
  std::set<std::string> paths;
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const std::string volume = mounts[i].value("name", "");
    const std::string path = mounts[i].value("mountPath", "");
    const std::string field = element_of(place + ".volumeMounts", i);
    if (volume.empty()) faults.push_back(required_field(field + ".name", ""));
    if (!volumes.contains(volume))
      faults.push_back(missing_value(field + ".name", json_text(volume)));
    if (path.empty()) faults.push_back(required_field(field + ".mountPath", ""));
    if (!paths.insert(path).second)
      faults.push_back(invalid_value(field + ".mountPath", json_text(path), "must be unique"));
  }
}

void check_container(const Json& container, const std::string& place, std::set<std::string>& names,
                     FieldFaults& faults) {
  const std::string name = container.value("name", "");
  if (name.empty())
    faults.push_back(required_field(place + ".name", ""));
  else
    add_invalid(place + ".name", json_text(name), label_faults(name), faults);
  if (!name.empty() && !names.insert(name).second)
    faults.push_back(duplicate_value(place + ".name", json_text(name)));
  if (container.value("image", "").empty()) faults.push_back(required_field(place + ".image", ""));
}

std::set<std::string> names_of(const Json& elements) {
  std::set<std::string> names;
  for (const Json& element : elements) names.insert(element.value("name", ""));
  return names;
}

void check_containers(const Json& spec, const std::string& field, FieldFaults& faults) {
  std::set<std::string> names;
  const std::set<std::string> volumes = names_of(spec.value("volumes", Json::array()));
  const Json containers = spec.value("containers", Json::array());
  if (!containers.is_array() || containers.empty())
    return faults.push_back(required_field(field + ".containers", ""));
  for (const char* list : {"containers", "initContainers"}) {
    const Json all = spec.value(list, Json::array());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string place = element_of(field + "." + list, i);
      check_container(all[i], place, names, faults);
      check_mounts(all[i], place, volumes, faults);
      check_one_of(all[i], "imagePullPolicy", place, {"Always", "IfNotPresent", "Never"}, faults);
      check_limits(all[i], place, faults);
    }
  }
}

void check_volumes(const Json& spec, const std::string& field, FieldFaults& faults) {
  const Json volumes = spec.value("volumes", Json::array());
  std::set<std::string> names;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const std::string name = volumes[i].value("name", "");
    const std::string place = element_of(field + ".volumes", i) + ".name";
    if (name.empty()) {
      faults.push_back(required_field(place, ""));
      continue;
    }
    add_invalid(place, json_text(name), label_faults(name), faults);
    if (!names.insert(name).second) faults.push_back(duplicate_value(place, json_text(name)));
  }
}

void check_operator(const Json& toleration, const std::string& place, FieldFaults& faults) {
  const std::string operation = toleration.value("operator", "");
  const std::string value = toleration.value("value", "");
  if (operation.empty() || operation == "Equal") {
    check_label_value(place + ".operator", value, faults);
  } else if (operation == "Exists") {
    if (!value.empty())
      faults.push_back(invalid_value(place + ".operator", json_text(value),
                                     "value must be empty when `operator` is 'Exists'"));
  } else if (operation == "Lt" || operation == "Gt") {
    faults.push_back(unsupported_value(place + ".operator", json_text(operation),
                                       {"Equal", "Exists", "Lt", "Gt"}));
  } else {
    faults.push_back(
        unsupported_value(place + ".operator", json_text(operation), {"Equal", "Exists"}));
  }
}

void check_tolerations(const Json& spec, const std::string& field, FieldFaults& faults) {
  const Json tolerations = spec.value("tolerations", Json::array());
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const Json& toleration = tolerations[i];
    const std::string place = element_of(field + ".tolerations", i);
    const std::string key = toleration.value("key", "");
    const std::string effect = toleration.value("effect", "");
    if (!key.empty())
      add_invalid(place + ".key", json_text(key), qualified_name_faults(key), faults);
    if (key.empty() && toleration.value("operator", "") != "Exists") {
      faults.push_back(invalid_value(place + ".operator",
                                     json_text(toleration.value("operator", "")),
                                     "operator must be Exists when `key` is empty, which means "
                                     "\"match all values and all keys\""));
    }
    if (toleration.contains("tolerationSeconds") && effect != "NoExecute") {
      faults.push_back(invalid_value(place + ".effect", json_text(effect),
                                     "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    check_operator(toleration, place, faults);
    check_one_of(toleration, "effect", place, {"NoSchedule", "PreferNoSchedule", "NoExecute"},
                 faults);
  }
}

void check_spread(const Json& spec, const std::string& field, FieldFaults& faults) {
  const Json constraints = spec.value("topologySpreadConstraints", Json::array());
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].value("maxSkew", 0) > 0) continue;
    faults.push_back(invalid_value(element_of(field + ".topologySpreadConstraints", i) + ".maxSkew",
                                   std::to_string(constraints[i].value("maxSkew", 0)),
                                   "must be greater than zero"));
  }
}

void check_host_aliases(const Json& spec, const std::string& field, FieldFaults& faults) {
  const Json aliases = spec.value("hostAliases", Json::array());
  for (std::size_t i = 0; i < aliases.size(); ++i) {
    check_ip(aliases[i].value("ip", ""), element_of(field + ".hostAliases", i) + ".ip", faults);
  }
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
      longer.erase("tolerationSeconds");
      Json wanted = toleration;
      wanted.erase("tolerationSeconds");
      kept = kept || longer == wanted;
    }
    if (!kept) return false;
  }
  return true;
}

/// False when the containers are no longer the same, and nothing else need be looked at.
bool check_same_containers(const Json& before, const Json& after, const char* list,
                           FieldFaults& faults) {
  const Json old = before.value(list, Json::array());
  const Json now = after.value(list, Json::array());
  const std::string field = "spec." + std::string(list);
  if (old.size() != now.size()) {
    faults.push_back(forbidden_field(field, "pod updates may not add or remove containers"));
    return false;
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].value("image", "").empty())
      faults.push_back(required_field(element_of(field, i) + ".image", ""));
  }
  return true;
}

/// False when nothing else need be looked at.
bool check_deadline(const Json& before, const Json& after, FieldFaults& faults) {
  const std::string field = "spec.activeDeadlineSeconds";
  const std::string key = "activeDeadlineSeconds";
  if (!after.contains(key)) {
    if (before.contains(key))
      faults.push_back(
          invalid_value(field, "null", "must not update from a positive integer to nil value"));
    return true;
  }
  const long long now = after[key].get<long long>();
  if (now < 0 || now > most_seconds) {
    faults.push_back(invalid_value(field, std::to_string(now), between(0, most_seconds)));
    return false;
  }
  if (!before.contains(key) || before[key].get<long long>() >= now) return true;
  faults.push_back(
      invalid_value(field, std::to_string(now), "must be less than or equal to previous value"));
  return false;
}

void check_gates(const Json& before, const Json& after, FieldFaults& faults) {
  const Json old = before.value("schedulingGates", Json::array());
  const Json now = after.value("schedulingGates", Json::array());
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (std::find(old.begin(), old.end(), now[i]) != old.end()) continue;
    faults.push_back(forbidden_field(element_of("spec.schedulingGates", i) + ".name",
                                     "only deletion is allowed, but found new scheduling gate '" +
                                         now[i].value("name", "") + "'"));
  }
}

void check_ips(const Json& status, const char* list, FieldFaults& faults) {
  const Json ips = status.value(list, Json::array());
  const std::string field = "status." + std::string(list);
  for (std::size_t i = 0; i < ips.size(); ++i) {
    check_ip(ips[i].value("ip", ""), element_of(field, i), faults);
  }
  if (ips.size() < 2) return;
  const auto is_v6 = [](const Json& ip) {
    return ip.value("ip", "").find(':') != std::string::npos;
  };
  if (ips.size() > 2 || is_v6(ips[0]) == is_v6(ips[1])) {
    std::string shown;
    for (const Json& ip : ips)
      shown += (shown.empty() ? R"({"IP":)" : R"(,{"IP":)") + json_text(ip.value("ip", "")) + "}";
    faults.push_back(invalid_value(field, "[" + shown + "]",
                                   "may specify no more than one IP for each IP family"));
  }
}

/// The types of conditions that others than Kubernetes set are names as labels are.
void check_conditions(const Json& status, FieldFaults& faults) {
  const Json conditions = status.value("conditions", Json::array());
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const std::string type = conditions[i].value("type", "");
    add_invalid(element_of("status.conditions", i) + ".Type", json_text(type),
                qualified_name_faults(type), faults);
  }
}

}  // namespace

bool is_ip(std::string_view text) {
  if (text.find(':') != text.npos) {
    return text.size() >= 2 &&
           text.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
  }
  for (int part = 0; part < 4; ++part) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::size_t digits = static_cast<std::size_t>(end - text.data());
    if (error != std::errc{} || value > 255 || digits > 3) return false;
    text.remove_prefix(digits);
    if (part == 3) return text.empty();
    if (!text.starts_with('.')) return false;
    text.remove_prefix(1);
  }
  return false;
}

void check_ip(const std::string& ip, const std::string& field, FieldFaults& faults) {
  if (is_ip(ip)) return;
  faults.push_back(invalid_value(field, json_text(ip),
                                 "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
}

void check_pod_spec(const Json& spec, const std::string& field, FieldFaults& faults) {
  check_volumes(spec, field, faults);
  check_containers(spec, field, faults);
  check_one_of(spec, "restartPolicy", field, {"Always", "OnFailure", "Never"}, faults);
  check_one_of(spec, "dnsPolicy", field,
               {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"}, faults);
  check_labels(spec.value("nodeSelector", Json::object()), field + ".nodeSelector", faults);
  const Json security = spec.value("securityContext", Json::object());
  if (const long long user = security.value("runAsUser", 0LL); user < 0 || user > most_seconds) {
    faults.push_back(invalid_value(field + ".securityContext.runAsUser", std::to_string(user),
                                   between(0, most_seconds)));
  }
  check_spread(spec, field, faults);
  if (const std::string name = spec.value("serviceAccountName", ""); !name.empty())
    add_invalid(field + ".serviceAccountName", json_text(name), subdomain_faults(name), faults);
  if (const std::string name = spec.value("nodeName", ""); !name.empty())
    add_invalid(field + ".nodeName", json_text(name), subdomain_faults(name), faults);
  if (spec.contains("activeDeadlineSeconds")) {
    const long long seconds = spec["activeDeadlineSeconds"].get<long long>();
    if (seconds < 1 || seconds > most_seconds) {
      faults.push_back(invalid_value(field + ".activeDeadlineSeconds", std::to_string(seconds),
                                     between(1, most_seconds)));
    }
  }
  if (const std::string name = spec.value("hostname", ""); !name.empty())
    add_invalid(field + ".hostname", json_text(name), label_faults(name), faults);
  check_tolerations(spec, field, faults);
  check_host_aliases(spec, field, faults);
}

void check_images(const Json& spec, FieldFaults& faults) {
  for (const char* list : {"containers", "initContainers"}) {
    const Json all = spec.value(list, Json::array());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string image = all[i].value("image", "");
      if (trimmed(image) == image) continue;
      faults.push_back(invalid_value("spec." + element_of(list, i) + ".image", json_text(image),
                                     "must not have leading or trailing whitespace"));
    }
  }
}

void check_new_pod(const Json& spec, FieldFaults& faults) {
  if (spec.value("nodeName", "").empty() || !spec.contains("schedulingGates")) return;
  faults.push_back(forbidden_field("spec.nodeName",
                                   "cannot be set until all schedulingGates have been cleared"));
}

void check_pod_change(const Json& before, const Json& after, FieldFaults& faults) {
  for (const char* list : {"containers", "initContainers"}) {
    if (!check_same_containers(before, after, list, faults)) return;
  }
  if (!check_deadline(before, after, faults)) return;
  if (!keeps_all_of(before.value("tolerations", Json::array()),
                    after.value("tolerations", Json::array()))) {
    faults.push_back(
        forbidden_field("spec.tolerations",
                        "existing toleration can not be modified except its tolerationSeconds"));
  }
  check_gates(before, after, faults);
  if (fixed_part(before) == fixed_part(after)) return;
  faults.push_back(forbidden_field(
      "spec",
      "pod updates may not change fields other than "
      "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
      "`spec.tolerations` (only additions to existing tolerations),"
      "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously "
      "negative)"));
}

void check_pod_status(const Json& old_pod, const Json& pod, FieldFaults& faults) {
  const Json& before = old_pod.at("status");
  const Json& after = pod.at("status");
  check_conditions(after, faults);
  const std::string nominated = after.value("nominatedNodeName", "");
  if (nominated != before.value("nominatedNodeName", "") && !nominated.empty()) {
    add_invalid("status.nominatedNodeName", json_text(nominated), subdomain_faults(nominated),
                faults);
    if (!old_pod.at("spec").value("nodeName", "").empty()) {
      faults.push_back(forbidden_field("status.nominatedNodeName",
                                       "may not be set on pods that are already bound to a node"));
    }
  }
  if (const long long generation = after.value("observedGeneration", 0LL); generation < 0) {
    faults.push_back(invalid_value("status.observedGeneration", std::to_string(generation),
                                   "must be a non-negative integer"));
  }
  if (before.contains("qosClass") && after.value("qosClass", Json("")) != before["qosClass"]) {
    faults.push_back(invalid_value("status.qosClass", json_text(after.value("qosClass", "")),
                                   "field is immutable"));
  }
  check_ips(after, "podIPs", faults);
  check_ips(after, "hostIPs", faults);
}

}  // namespace nlc::sim

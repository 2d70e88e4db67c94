#include "sim/apiserver/validation/node_validation.h"

#include <set>
#include <string>

#include "sim/apiserver/types/json_text.h"
#include "sim/apiserver/validation/pod_validation.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;
using Faults = FieldFaults;

/// The server names them "metadata.taints", although they stand in the spec.
void check_taints(const Json& node, Faults& faults) {
  const Json taints = node.at("spec").value("taints", Json::array());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const Json& taint = taints[i];
    const std::string place = element_of("metadata.taints", i);
    const std::string key = taint.value("key", "");
    const std::string value = taint.value("value", "");
    const std::string effect = taint.value("effect", "");
    add_invalid(place + ".key", json_text(key), qualified_name_faults(key), faults);
    check_label_value(place + ".value", value, faults);
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
      faults.push_back(
          duplicate_value(place, shown + ": taints must be unique by key and effect pair"));
    }
  }
}

bool counts_whole_things(const std::string& resource) {
  return resource == "pods" || resource.find('/') != std::string::npos;
}

void check_quantities(const Json& status, const char* list, Faults& faults) {
  const Json quantities = status.value(list, Json::object());
  for (const auto& [name, quantity] : quantities.items()) {
    const std::string text = quantity.get<std::string>();
    const std::string field = "status." + std::string(list) + "." + name;
    if (text.starts_with('-'))
      faults.push_back(invalid_value(field, json_text(text), "must be greater than or equal to 0"));
    if (counts_whole_things(name) && text.find_first_of("mun") != std::string::npos)
      faults.push_back(invalid_value(field, json_text(text), "must be an integer"));
  }
}

bool is_cidr(const std::string& text) {
  const std::size_t slash = text.find('/');
  return slash != std::string::npos && is_ip(text.substr(0, slash)) && slash + 1 < text.size() &&
         text.find_first_not_of("0123456789", slash + 1) == std::string::npos;
}

void check_pod_cidrs(const Json& node, Faults& faults) {
  const Json cidrs = node.at("spec").value("podCIDRs", Json::array());
  for (std::size_t i = 0; i < cidrs.size(); ++i) {
    if (is_cidr(cidrs[i])) continue;
    faults.push_back(invalid_value(element_of("spec.podCIDRs", i), cidrs[i].dump(),
                                   "must be a valid CIDR value, (e.g. 10.9.8.0/24 or "
                                   "2001:db8::/64)"));
  }
  const auto is_v6 = [](const Json& cidr) {
    return cidr.get<std::string>().find(':') != std::string::npos;
  };
  if (cidrs.size() > 2 || (cidrs.size() == 2 && is_v6(cidrs[0]) == is_v6(cidrs[1]))) {
    faults.push_back(invalid_value("spec.podCIDRs", cidrs.dump(),
                                   "may specify no more than one CIDR for each IP family"));
  }
}

void check_provider(const Json& before, const Json& after, Faults& faults) {
  const std::string old = before.value("providerID", "");
  const std::string now = after.value("providerID", "");
  if (old.empty() || old == now) return;
  faults.push_back(invalid_value(
      "spec.providerID", "null",
      now.empty() ? "field cannot be cleared once set" : "field cannot be modified once set"));
}

}  // namespace

void check_new_node(const Json& node, Faults& faults) {
  check_taints(node, faults);
  check_quantities(node.at("status"), "capacity", faults);
  check_quantities(node.at("status"), "allocatable", faults);
  check_pod_cidrs(node, faults);
}

void check_changed_node(const Json& before, const Json& after, Faults& faults) {
  check_quantities(after.at("status"), "capacity", faults);
  check_quantities(after.at("status"), "allocatable", faults);
  const Json addresses = after.at("status").value("addresses", Json::array());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (seen.insert(addresses[i].dump()).second) continue;
    faults.push_back(duplicate_value(element_of("status.addresses", i),
                                     R"({"Type":)" + json_text(addresses[i].value("type", "")) +
                                         R"(,"Address":)" +
                                         json_text(addresses[i].value("address", "")) + "}"));
  }
  const Json& old_spec = before.at("spec");
  const Json& new_spec = after.at("spec");
  const Json cidrs = old_spec.value("podCIDRs", Json::array());
  if (!cidrs.empty() && new_spec.value("podCIDRs", Json::array()) != cidrs) {
    faults.push_back(forbidden_field(
        "spec.podCIDRs", "node updates may not change podCIDR except from \"\" to valid"));
  }
  check_provider(old_spec, new_spec, faults);
  check_taints(after, faults);
  if (old_spec.value("externalID", "") != new_spec.value("externalID", ""))
    faults.push_back(forbidden_field("spec.externalID", "may not be updated"));
}

}  // namespace nlc::sim

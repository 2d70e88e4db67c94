#include "sim/apiserver/registry/patch.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <vector>

#include "sim/apiserver/registry/json_patch.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

/// How a list at some path is merged.
struct ListRule {
  std::string_view kind;  ///< empty: any kind
  std::string_view path;
  std::string_view key;  ///< empty: a set of plain values
};

constexpr ListRule list_rules[] = {
    {"", "metadata.ownerReferences", "uid"},
    {"", "metadata.finalizers", ""},
    {"Node", "status.conditions", "type"},
    {"Node", "status.addresses", "type"},
    {"Node", "spec.podCIDRs", ""},
    {"Pod", "status.conditions", "type"},
    {"Pod", "status.podIPs", "ip"},
    {"Pod", "status.hostIPs", "ip"},
    {"Namespace", "status.conditions", "type"},
    {"DaemonSet", "status.conditions", "type"},
    {"ServiceAccount", "secrets", "name"},
    {"ServiceAccount", "imagePullSecrets", "name"},
};

/// The same within a pod's spec, wherever that stands.
constexpr ListRule pod_spec_rules[] = {
    {"", "containers", "name"},
    {"", "initContainers", "name"},
    {"", "ephemeralContainers", "name"},
    {"", "containers.env", "name"},
    {"", "containers.ports", "containerPort"},
    {"", "containers.volumeMounts", "mountPath"},
    {"", "initContainers.env", "name"},
    {"", "initContainers.volumeMounts", "mountPath"},
    {"", "volumes", "name"},
    {"", "imagePullSecrets", "name"},
    {"", "hostAliases", "ip"},
    {"", "topologySpreadConstraints", "topologyKey"},
};

const ListRule* rule_for(const Resource& resource, std::string_view path) {
  for (const ListRule& rule : list_rules) {
    if ((rule.kind.empty() || rule.kind == resource.kind) && rule.path == path) return &rule;
  }
  const std::string_view spec = resource.kind == "Pod"         ? "spec."
                                : resource.kind == "DaemonSet" ? "spec.template.spec."
                                                               : "\n";
  if (!path.starts_with(spec)) return nullptr;
  for (const ListRule& rule : pod_spec_rules) {
    if (rule.path == path.substr(spec.size())) return &rule;
  }
  return nullptr;
}

/// Ends a merge that cannot be done.
struct Refused {
  StatusError error;
};

[[noreturn]] void refuse(std::string message) { throw Refused{internal_error(std::move(message))}; }

/// Merges one strategic patch. Directives: `$patch: replace|delete` in objects and list elements,
/// `$setElementOrder/x`, `$deleteFromPrimitiveList/x`, `$retainKeys`.
class StrategicMerge {
 public:
  explicit StrategicMerge(const Resource& resource) : resource_(resource) {}

  Json object(Json target, const Json& patch, const std::string& path) const {
    const std::string directive = directive_of(patch);
    if (directive == "delete") return Json::object();
    if (directive == "replace") return without_directives(patch);
    if (patch.contains("$patch") && directive != "merge")
      refuse("unknown patch type: " + directive + " in map: " + go_text(patch));
    if (!target.is_object()) target = Json::object();
    retain_keys(target, patch);
    for (const auto& [key, value] : patch.items()) {
      if (key.starts_with("$deleteFromPrimitiveList/")) {
        remove_values(target, key.substr(key.find('/') + 1), value);
      } else if (!key.starts_with('$')) {
        member(target, key, value, path.empty() ? key : path + "." + key);
      }
    }
    order_elements(target, patch, path);
    return target;
  }

 private:
  static std::string directive_of(const Json& patch) {
    const auto found = patch.find("$patch");
    return found != patch.end() && found->is_string() ? found->get<std::string>() : "";
  }

  static Json without_directives(const Json& patch) {
    Json result = Json::object();
    for (const auto& [key, value] : patch.items()) {
      if (!key.starts_with('$')) result[key] = value;
    }
    return result;
  }

  static bool is_directive(const Json& value) {
    return value.is_object() && value.contains("$patch");
  }

  /// What a patch brings where nothing was to be merged: a directive has nothing to act on there.
  static Json without_any_directive(const Json& value) {
    if (value.is_array()) {
      Json result = Json::array();
      for (const Json& element : value) {
        if (!is_directive(element)) result.push_back(without_any_directive(element));
      }
      return result;
    }
    if (!value.is_object()) return value;
    Json result = Json::object();
    for (const auto& [key, each] : value.items()) {
      if (!key.starts_with('$') && !each.is_null() && !is_directive(each))
        result[key] = without_any_directive(each);
    }
    return result;
  }

  static void retain_keys(Json& target, const Json& patch) {
    const auto kept = patch.find("$retainKeys");
    if (kept == patch.end() || !kept->is_array()) return;
    Json result = Json::object();
    for (const Json& key : *kept) {
      if (key.is_string() && target.contains(key)) result[key.get<std::string>()] = target[key];
    }
    target = std::move(result);
  }

  static void remove_values(Json& target, const std::string& key, const Json& values) {
    const auto list = target.find(key);
    if (list == target.end() || !list->is_array() || !values.is_array()) return;
    Json kept = Json::array();
    for (Json& value : *list) {
      if (std::find(values.begin(), values.end(), value) == values.end()) kept.push_back(value);
    }
    *list = std::move(kept);
  }

  void member(Json& target, const std::string& key, const Json& value,
              const std::string& path) const {
    if (value.is_null()) {
      target.erase(key);
    } else if (!target.contains(key) || (value.is_object() && !target[key].is_object())) {
      target.erase(key);
      if (!is_directive(value)) target[key] = without_any_directive(value);
    } else if (value.is_object()) {
      target[key] = object(target.contains(key) ? target[key] : Json::object(), value, path);
    } else if (const ListRule* rule = value.is_array() ? rule_for(resource_, path) : nullptr) {
      target[key] = list(target.contains(key) ? target[key] : Json::array(), value, *rule, path);
    } else {
      target[key] = value;
    }
  }

  static Json key_of(const Json& element, const ListRule& rule) {
    if (rule.key.empty()) return element;
    const auto found = element.is_object() ? element.find(std::string(rule.key)) : element.end();
    return element.is_object() && found != element.end() ? *found : Json();
  }

  template <typename List>
  static std::size_t place_of(const Json& key, const List& elements, const ListRule& rule) {
    std::size_t place = 0;
    for (const Json& element : elements) {
      if (key_of(element, rule) == key) break;
      ++place;
    }
    return place;
  }

  Json list(const Json& target, const Json& patch, const ListRule& rule,
            const std::string& path) const {
    std::vector<Json> given;
    std::vector<Json> named;  // the keys that the patch speaks of
    for (const Json& element : patch) {
      const std::string directive = element.is_object() ? directive_of(element) : "";
      if (directive == "replace" && element.size() == 1) return whole(patch);
      const Json key = key_of(element, rule);
      if (key.is_null() && element.is_object()) {
        refuse("map: " + go_text(element) +
               " does not contain declared merge key: " + std::string(rule.key));
      }
      const std::size_t place = place_of(key, target, rule);
      const std::size_t again = place_of(key, given, rule);
      named.push_back(key);
      if (directive == "delete") continue;
      if (again < given.size()) {  // a second one for the same goes on from the first
        if (element.is_object()) given[again] = object(given[again], element, path);
        continue;
      }
      if (!element.is_object())
        given.push_back(element);
      else
        given.push_back(
            object(place < target.size() ? target[place] : Json::object(), element, path));
    }
    std::vector<Json> untouched;
    for (const Json& element : target) {
      const Json key = key_of(element, rule);
      const bool known = std::find(named.begin(), named.end(), key) != named.end();
      const bool twice = rule.key.empty() &&
                         std::find(untouched.begin(), untouched.end(), element) != untouched.end();
      if (!known && !twice) untouched.push_back(element);
    }
    return interleaved(untouched, given, target, rule);
  }

  static Json whole(const Json& patch) {
    Json result = Json::array();
    for (const Json& element : patch) {
      if (directive_of(element).empty()) result.push_back(element);
    }
    return result;
  }

  /// Both sequences keep their order. An untouched element goes first only where the server knew
  /// both and had it first; so what a patch brings new stands before what it left alone.
  static Json interleaved(const std::vector<Json>& untouched, const std::vector<Json>& given,
                          const Json& before, const ListRule& rule) {
    Json result = Json::array();
    auto left = untouched.begin();
    auto right = given.begin();
    while (left != untouched.end() || right != given.end()) {
      bool take_left = right == given.end();
      if (!take_left && left != untouched.end()) {
        const std::size_t right_place = place_of(key_of(*right, rule), before, rule);
        take_left = right_place < before.size() &&
                    place_of(key_of(*left, rule), before, rule) < right_place;
      }
      result.push_back(take_left ? *left++ : *right++);
    }
    return result;
  }

  void order_elements(Json& target, const Json& patch, const std::string& path) const {
    constexpr std::string_view prefix = "$setElementOrder/";
    for (const auto& [directive, order] : patch.items()) {
      if (!directive.starts_with(prefix) || !order.is_array()) continue;
      const std::string key = directive.substr(prefix.size());
      const auto list = target.find(key);
      const ListRule* rule = rule_for(resource_, path.empty() ? key : path + "." + key);
      if (rule != nullptr && patch.contains(key)) check_order(patch.at(key), order, *rule);
      if (list == target.end() || !list->is_array() || rule == nullptr) continue;
      std::stable_sort(list->begin(), list->end(), [&](const Json& a, const Json& b) {
        return place_of(key_of(a, *rule), order, *rule) < place_of(key_of(b, *rule), order, *rule);
      });
    }
  }

  /// The elements of a patch stand in the order that it asks for, and are all named there.
  static void check_order(const Json& patch, const Json& order, const ListRule& rule) {
    if (!patch.is_array()) return;
    std::size_t at = 0;
    for (const Json& element : patch) {
      if (element.is_object() && element.contains("$patch")) continue;
      const Json key = key_of(element, rule);
      while (at < order.size() && key_of(order[at], rule) != key) ++at;
      if (at < order.size()) continue;
      refuse("The order in patch list:\n" + go_text(patch) +
             "\n doesn't match $setElementOrder list:\n" + go_text(order) + "\n");
    }
  }

  const Resource& resource_;
};

}  // namespace

std::string go_text(const Json& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_structured()) return value.dump();
  std::string all;
  for (const auto& [key, each] : value.items()) {
    all += (all.empty() ? "" : " ") + (value.is_object() ? key + ":" : "") + go_text(each);
  }
  return (value.is_object() ? "map[" : "[") + all + "]";
}

Outcome<Json> patched(const Resource& resource, const Json& object, const Json& patch,
                      PatchType type) {
  assert(patch.is_array() == (type == PatchType::JsonPatch));
  if (type == PatchType::JsonPatch) return json_patched(object, patch);
  if (type == PatchType::Merge) {
    Json result = object;
    result.merge_patch(patch);
    return result;
  }
  try {
    return StrategicMerge(resource).object(object, patch, "");
  } catch (Refused& refused) {
    return std::move(refused.error);
  }
}

}  // namespace nlc::sim

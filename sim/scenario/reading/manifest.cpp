#include "sim/scenario/reading/manifest.h"

#include <set>

#include "runtime/time.h"
#include "sim/apiserver/types/resource.h"
#include "sim/scenario/reading/limits.h"
#include "sim/scenario/reading/object_faults.h"
#include "sim/scenario/reading/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

void set_default(Json& object, const char* key, Json value) {
  if (!object.contains(key) || object[key].is_null()) object[key] = std::move(value);
}

Json one_container() { return Json::array({{{"name", "main"}, {"image", "pause"}}}); }

/// Everything but tolerations: those decide too much to be guessed.
void complete_pod(Json& pod) {
  Json& spec = pod["spec"];
  set_default(spec, "containers", one_container());
  set_default(spec, "restartPolicy", "Always");
  set_default(spec, "terminationGracePeriodSeconds", 30);
  set_default(pod["status"], "phase", spec.contains("nodeName") ? "Running" : "Pending");
  Json& metadata = pod["metadata"];
  if (metadata.contains("deletionTimestamp")) {
    set_default(metadata, "deletionGracePeriodSeconds", spec["terminationGracePeriodSeconds"]);
  }
}

void complete_lease(Json& lease) {
  set_default(lease["spec"], "holderIdentity", lease["metadata"]["name"]);
  set_default(lease["spec"], "leaseDurationSeconds", 40);
}

/// Its pods are written out by themselves.
void complete_daemonset(Json& set) {
  Json& spec = set["spec"];
  if (!spec.contains("selector"))
    spec["selector"]["matchLabels"] = {{"app", set["metadata"]["name"]}};
  if (spec["selector"].contains("matchLabels")) {
    set_default(spec["template"]["metadata"], "labels", spec["selector"]["matchLabels"]);
  }
  set_default(spec["template"]["spec"], "containers", one_container());
}

/// Gives the object, whose types fit, all that a real one of its kind has.
void complete(Json& object, const Resource& resource) {
  if (resource.namespaced) {
    set_default(object["metadata"], "namespace",
                resource.kind == "Lease" ? "kube-node-lease" : "default");
  }
  if (resource.kind == "Pod") complete_pod(object);
  if (resource.kind == "Lease") complete_lease(object);
  if (resource.kind == "DaemonSet") complete_daemonset(object);
}

/// "node%d" with 7 is "node7"; each number is used once, from the left.
std::string numbered(std::string name, std::initializer_list<int> numbers) {
  std::size_t from = 0;
  for (const int number : numbers) {
    const std::size_t at = name.find("%d", from);
    if (at == std::string::npos) break;
    const std::string digits = std::to_string(number);
    name.replace(at, 2, digits);
    from = at + digits.size();
  }
  return name;
}

Json ready_condition(const std::string& status, const std::string& time) {
  Json condition{{"type", "Ready"}, {"status", status}};
  if (!time.empty()) {
    condition["lastHeartbeatTime"] = time;
    condition["lastTransitionTime"] = time;
  }
  return condition;
}

Json node_made(const std::string& name, const std::string& ready, const std::string& now) {
  Json node{{"apiVersion", "v1"},
            {"kind", "Node"},
            {"metadata", {{"name", name}, {"creationTimestamp", "2012-01-01T00:00:00Z"}}}};
  if (!ready.empty()) node["status"]["conditions"] = Json::array({ready_condition(ready, now)});
  return node;
}

Json pod_made(const std::string& name, const std::string& node, const std::string& ready) {
  Json pod{{"apiVersion", "v1"},
           {"kind", "Pod"},
           {"metadata", {{"name", name}}},
           {"spec", {{"nodeName", node}}}};
  if (!ready.empty()) pod["status"]["conditions"] = Json::array({ready_condition(ready, "")});
  return pod;
}

/// Makes what one `generate` entry stands for, beside what is there already.
class Generator {
 public:
  Generator(const Yaml& node, WallTime start, Problems& problems)
      : fields_(node, "a generate", problems), now_(rfc3339(start)) {}

  void add_to(std::vector<Json>& objects) {
    const std::string name = fields_.need_text("name");
    const std::string ready = fields_.text("ready");
    const long long nodes = fields_.whole("nodes").value_or(0);
    const long long pods = fields_.whole("pods_per_node").value_or(0);
    const Json labels = map_at("labels");
    const Json spec = spec_of(pods > 0);
    if (nodes == 0 && pods == 0) fields_.refuse("neither", "nodes or pods_per_node");
    refuse_outside(nodes, "nodes", objects.size());
    for (int i = 0; i < nodes; ++i) {
      add(objects, node_made(numbered(name, {i}), ready, now_), labels, spec);
    }
    refuse_outside(pods, "pods_per_node", 0);
    if (pods > 0) add_pods(objects, static_cast<int>(pods), name, ready, labels, spec);
    fields_.finish();
  }

 private:
  void refuse_outside(long long count, const char* what, std::size_t present) const {
    const auto room = static_cast<long long>(most_objects - std::min(present, most_objects));
    if (count >= 0 && count <= room) return;
    throw Malformed{fields_.line(), std::to_string(count) + " " + what + " found, 0 to " +
                                        std::to_string(room) + " expected (" +
                                        std::to_string(most_objects) + " objects in a case)"};
  }

  Json map_at(const char* key) {
    const Yaml& given = fields_.find(key);
    if (!given.is_defined() || given.is_null()) return Json::object();
    if (!given.is_map()) refuse(given, std::string("a map of ") + key);
    return json_of(given);
  }

  /// Pods carry a catch-all toleration, so that only those evict who want to.
  Json spec_of(bool pods) {
    Json spec = map_at("spec");
    const Yaml& tolerations = fields_.find("tolerations");
    if (tolerations.is_defined()) spec["tolerations"] = json_of(tolerations);
    if (pods) set_default(spec, "tolerations", Json::array({{{"operator", "Exists"}}}));
    return spec;
  }

  void add_pods(std::vector<Json>& objects, int pods, const std::string& name,
                const std::string& ready, const Json& labels, const Json& spec) {
    std::vector<std::string> nodes;
    for (const Json& object : objects) {
      if (text_at(object, "kind") == "Node") nodes.push_back(object["metadata"]["name"]);
    }
    refuse_outside(static_cast<long long>(nodes.size()) * pods, "pods", objects.size());
    const std::string space = fields_.text("namespace");
    int number = 0;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      for (int p = 0; p < pods; ++p, ++number) {
        const bool by_node = name.find("%d") != name.rfind("%d");
        const std::string own =
            by_node ? numbered(name, {static_cast<int>(n), p}) : numbered(name, {number});
        Json pod = pod_made(own, nodes[n], ready);
        if (!space.empty()) pod["metadata"]["namespace"] = space;
        add(objects, std::move(pod), labels, spec);
      }
    }
  }

  void add(std::vector<Json>& objects, Json object, const Json& labels, const Json& spec) {
    const std::string name = text_at(object["metadata"], "name");
    if (!names_.insert(text_at(object, "kind") + "/" + name).second) {
      throw Malformed{fields_.line(), "the name " + fields_.text("name") +
                                          " found, one that differs for each expected, by %d in "
                                          "it: " +
                                          name + " would be made twice"};
    }
    if (!labels.empty()) object["metadata"]["labels"] = labels;
    if (!spec.empty()) object["spec"].update(spec);
    const Resource& resource = *find_kind("v1", text_at(object, "kind"));
    const bool first = kinds_.insert(std::string(resource.kind)).second;
    if (first) refuse_types(resource, object, fields_.line());
    complete(object, resource);
    if (first) refuse_values(resource, object, fields_.line());
    objects.push_back(std::move(object));
  }

  Fields fields_;
  const std::string now_;
  std::set<std::string> names_;  ///< that it has made
  std::set<std::string> kinds_;  ///< of one kind all are alike
};

/// An object by whose uid another one names it as its owner has that uid.
void take_uids_from_owners(std::vector<Json>& objects) {
  for (const Json& object : objects) {
    for (const Json& owner : object["metadata"].value("ownerReferences", Json::array())) {
      for (Json& candidate : objects) {
        const bool named = text_at(candidate, "kind") == text_at(owner, "kind") &&
                           text_at(candidate["metadata"], "name") == text_at(owner, "name");
        if (named) set_default(candidate["metadata"], "uid", text_at(owner, "uid"));
      }
    }
  }
}

}  // namespace

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Json manifest_of(const Yaml& node) {
  const Json value = json_of(node);
  if (!value.is_object()) refuse(node, "an object");
  const std::string version = text_at(value, "apiVersion");
  const std::string kind = text_at(value, "kind");
  const Resource* resource = find_kind(version, kind);
  if (resource == nullptr) {
    throw Malformed{node.line, "apiVersion \"" + version + "\", kind \"" + kind +
                                   "\" found, a kind that this server has expected"};
  }
  // What is null is not there.
  Json object = Json::object();
  object.merge_patch(value);
  refuse_types(*resource, object, node.line);
  if (!object.contains("metadata") || text_at(object["metadata"], "name").empty()) {
    throw Malformed{node.line, "an object without metadata.name found, a name expected"};
  }
  complete(object, *resource);
  refuse_values(*resource, object, node.line);
  return object;
}

std::vector<Json> given_of(const Yaml& node, WallTime start, Problems& problems) {
  std::vector<Json> objects;
  if (!node.is_list() && !node.is_null()) refuse(node, "a list of objects");
  for (const Yaml& entry : node.list) {
    if (const Yaml& generate = entry["generate"]; generate.is_defined()) {
      Generator(generate, start, problems).add_to(objects);
    } else {
      objects.push_back(manifest_of(entry));
    }
  }
  take_uids_from_owners(objects);
  return objects;
}

}  // namespace nlc::sim::scenario

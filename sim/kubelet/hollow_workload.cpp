#include "sim/kubelet/hollow_workload.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "client/resources.h"
#include "sim/kubelet/hollow_node.h"
#include "sim/kubelet/hollow_requests.h"

namespace nlc::sim {
namespace {

using Object = nlohmann::ordered_json;

Object named(std::string_view kind, const std::string& name, const std::string& run) {
  return {{"kind", kind},
          {"apiVersion", "v1"},
          {"metadata", {{"name", name}, {"annotations", {{run_annotation, run}}}}}};
}

Object toleration(std::string_view taint, std::chrono::seconds wait) {
  return {{"key", taint},
          {"operator", "Exists"},
          {"effect", "NoExecute"},
          {"tolerationSeconds", wait.count()}};
}

std::string pod_body(const WorkloadOptions& options, const std::string& node,
                     const std::string& name) {
  Object pod = named("Pod", name, options.run);
  pod["metadata"]["namespace"] = options.namespace_;
  pod["metadata"]["labels"] = {{"app", "hollow"}};
  const Object container{{"name", "app"},
                         {"image", "hollow/app:v1"},
                         {"resources", {{"requests", {{"cpu", "10m"}, {"memory", "16Mi"}}}}}};
  pod["spec"] = {{"nodeName", node},
                 {"automountServiceAccountToken", false},
                 {"containers", Object::array({container})}};
  if (options.toleration) {
    pod["spec"]["tolerations"] =
        Object::array({toleration("node.kubernetes.io/not-ready", *options.toleration),
                       toleration("node.kubernetes.io/unreachable", *options.toleration)});
  }
  return pod.dump();
}

std::string namespace_path(const std::string& name) {
  return "/api/v1/namespaces/" + client::escaped(name);
}

}  // namespace

HollowWorkload::HollowWorkload(RetryQueue& requests, WorkloadOptions options)
    : requests_(requests), options_(std::move(options)) {
  if (options_.pods_per_node > 0) make_namespace();
}

void HollowWorkload::place_on(const std::string& node) {
  if (options_.pods_per_node == 0) return;
  if (open_) return make_pods(node);
  nodes_waiting_.push_back(node);
}

void HollowWorkload::make_namespace() {
  make({"/api/v1/namespaces", options_.namespace_,
        named("Namespace", options_.namespace_, options_.run).dump()},
       made_rooms_, [this] { make_service_account(); });
}

// Without a service-account controller nobody else makes it, and no pod would be admitted.
void HollowWorkload::make_service_account() {
  make({namespace_path(options_.namespace_) + "/serviceaccounts", "default",
        named("ServiceAccount", "default", options_.run).dump()},
       made_rooms_, [this] { open(); });
}

void HollowWorkload::open() {
  open_ = true;
  for (const std::string& node : std::exchange(nodes_waiting_, {})) make_pods(node);
}

void HollowWorkload::make_pods(const std::string& node) {
  for (std::uint32_t number = 0; number < options_.pods_per_node; ++number) {
    const std::string name = node + "-" + std::to_string(number);
    make({namespace_path(options_.namespace_) + "/pods", name, pod_body(options_, node, name)},
         made_pods_);
  }
}

void HollowWorkload::make(Wanted wanted, std::vector<MadeObject>& made,
                          std::function<void()> then) {
  std::string path = wanted.collection + "/" + client::escaped(wanted.name);
  auto done = [this, &made, path = std::move(path), then = std::move(then)](
                  const Result<client::Response>& answer, bool doubtful) {
    if (answer) {
      made.push_back({path, uid_of(answer->body)});
    } else if (answer.error().fault == Fault::AlreadyExists && (doubtful || &made == &made_pods_)) {
      return identify(path, made, then);
    }
    then();
  };
  requests_.add({.request = {.method = "POST",
                             .target = std::move(wanted.collection),
                             .content_type = "application/json",
                             .body = std::move(wanted.body),
                             .priority = client::RequestPriority::PodWrite},
                 .done = std::move(done)});
}

void HollowWorkload::identify(const std::string& path, std::vector<MadeObject>& made,
                              std::function<void()> then) {
  requests_.add({.request = {.target = path},
                 .done = [this, &made, path, then = std::move(then)](
                             const Result<client::Response>& answer, bool) {
                   const auto maker = answer ? maker_of(answer->body) : std::nullopt;
                   // A namespace may be in use by another run; a pod has one node, and that is
                   // ours.
                   if (maker && (&made == &made_pods_ || *maker == options_.run)) {
                     made.push_back({path, uid_of(answer->body)});
                   }
                   then();
                 }});
}

client::Request removal_of(const MadeObject& object) {
  Object options{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}, {"gracePeriodSeconds", 0}};
  if (!object.uid.empty()) options["preconditions"] = {{"uid", object.uid}};
  return {.method = "DELETE",
          .target = object.path,
          .content_type = "application/json",
          .body = options.dump(),
          .priority = client::RequestPriority::PodWrite};
}

}  // namespace nlc::sim

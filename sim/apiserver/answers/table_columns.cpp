#include "sim/apiserver/answers/table_columns.h"

namespace nlc::sim {
namespace {

constexpr std::string_view name_text =
    "Name must be unique within a namespace. Is required when creating resources, although some "
    "resources may allow a client to request the generation of an appropriate name automatically. "
    "Name is primarily intended for creation idempotence and configuration definition. Cannot be "
    "updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
constexpr std::string_view age_text =
    "CreationTimestamp is a timestamp representing the server time when this object was created. "
    "It is not guaranteed to be set in happens-before order across separate operations. Clients "
    "may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the "
    "system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
constexpr std::string_view addresses_text =
    "List of addresses reachable to the node. Queried from cloud provider, if available. More "
    "info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This field is "
    "declared as mergeable, but the merge key is not sufficiently unique, which can cause data "
    "corruption when it is merged. Callers should instead use a full-replacement patch. See "
    "https://pr.k8s.io/79391 for an example. Consumers should assume that addresses can change "
    "during the lifetime of a Node. However, there are some exceptions where this may not be "
    "possible, such as Pods that inherit a Node's address in its own status or consumers of the "
    "downward API (status.hostIP).";

constexpr Column configmap_columns[] = {
    {"Name", "string", "name", name_text, 0},
    {"Data", "string", "",
     "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', "
     "'_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys "
     "stored in Data must not overlap with the keys in the BinaryData field, this is enforced "
     "during validation process.",
     0},
    {"Age", "string", "", age_text, 0},
};

constexpr Column daemonset_columns[] = {
    {"Name", "string", "name", name_text, 0},
    {"Desired", "integer", "",
     "The total number of nodes that should be running the daemon pod (including nodes correctly "
     "running the daemon pod). More info: "
     "https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/",
     0},
    {"Current", "integer", "",
     "The number of nodes that are running at least 1 daemon pod and are supposed to run the "
     "daemon pod. More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/",
     0},
    {"Ready", "integer", "",
     "numberReady is the number of nodes that should be running the daemon pod and have one or "
     "more of the daemon pod running with a Ready Condition.",
     0},
    {"Up-to-date", "integer", "", "The total number of nodes that are running updated daemon pod",
     0},
    {"Available", "integer", "",
     "The number of nodes that should be running the daemon pod and have one or more of the daemon "
     "pod running and available (ready for at least spec.minReadySeconds)",
     0},
    {"Node Selector", "string", "",
     "NodeSelector is a selector which must be true for the pod to fit on a node. Selector which "
     "must match a node's labels for the pod to be scheduled on that node. More info: "
     "https://kubernetes.io/docs/concepts/configuration/assign-pod-node/",
     0},
    {"Age", "string", "", age_text, 0},
    {"Containers", "string", "", "Names of each container in the template.", 1},
    {"Images", "string", "", "Images referenced by each container in the template.", 1},
    {"Selector", "string", "",
     "A label query over pods that are managed by the daemon set. Must match in order to be "
     "controlled. It must match the pod template's labels. More info: "
     "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
     1},
};

constexpr Column endpoints_columns[] = {
    {"Name", "string", "name", name_text, 0},
    {"Endpoints", "string", "",
     "The set of all endpoints is the union of all subsets. Addresses are placed into subsets "
     "according to the IPs they share. A single address with multiple ports, some of which are "
     "ready and some of which are not (because they come from different containers) will result in "
     "the address being displayed in different subsets for the different ports. No address will "
     "appear in both Addresses and NotReadyAddresses in the same subset. Sets of addresses and "
     "ports that comprise a service.",
     0},
    {"Age", "string", "", age_text, 0},
};

constexpr Column event_columns[] = {
    {"Last Seen", "string", "",
     "The time at which the most recent occurrence of this event was recorded.", 0},
    {"Type", "string", "",
     "Type of this event (Normal, Warning), new types could be added in the future", 0},
    {"Reason", "string", "",
     "This should be a short, machine understandable string that gives the reason for the "
     "transition into the object's current status.",
     0},
    {"Object", "string", "", "The object that this event is about.", 0},
    {"Subobject", "string", "",
     "If referring to a piece of an object instead of an entire object, this string should contain "
     "a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For "
     "example, if the object reference is to a container within a pod, this would take on a value "
     "like: \"spec.containers{name}\" (where \"name\" refers to the name of the container that "
     "triggered the event) or if no container name is specified \"spec.containers[2]\" (container "
     "with index 2 in this pod). This syntax is chosen only to have some well-defined way of "
     "referencing a part of an object.",
     1},
    {"Source", "string", "",
     "The component reporting this event. Should be a short machine understandable string.", 1},
    {"Message", "string", "", "A human-readable description of the status of this operation.", 0},
    {"First Seen", "string", "",
     "The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)", 1},
    {"Count", "string", "", "The number of times this event has occurred.", 1},
    {"Name", "string", "name", name_text, 1},
};

constexpr Column lease_columns[] = {
    {"Name", "string", "name", name_text, 0},
    {"Holder", "string", "",
     "holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader "
     "Election is used, the holder identity must be equal to the elected "
     "LeaseCandidate.metadata.name field.",
     0},
    {"Age", "string", "", age_text, 0},
};

constexpr Column namespace_columns[] = {
    {"Name", "string", "name", name_text, 0},
    {"Status", "string", "", "The status of the namespace", 0},
    {"Age", "string", "", age_text, 0},
};

constexpr Column node_columns[] = {
    {"Name", "string", "name", name_text, 0},
    {"Status", "string", "", "The status of the node", 0},
    {"Roles", "string", "", "The roles of the node", 0},
    {"Age", "string", "", age_text, 0},
    {"Version", "string", "", "Kubelet Version reported by the node.", 0},
    {"Internal-IP", "string", "", addresses_text, 1},
    {"External-IP", "string", "", addresses_text, 1},
    {"OS-Image", "string", "",
     "OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)).", 1},
    {"Kernel-Version", "string", "",
     "Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64).", 1},
    {"Container-Runtime", "string", "",
     "ContainerRuntime Version reported by the node through runtime remote API (e.g. "
     "containerd://1.4.2).",
     1},
};

constexpr Column pod_columns[] = {
    {"Name", "string", "name", name_text, 0},
    {"Ready", "string", "", "The aggregate readiness state of this pod for accepting traffic.", 0},
    {"Status", "string", "", "The aggregate status of the containers in this pod.", 0},
    {"Restarts", "string", "",
     "The number of times the containers in this pod have been restarted and when the last "
     "container in this pod has restarted.",
     0},
    {"Age", "string", "", age_text, 0},
    {"IP", "string", "",
     "podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet "
     "allocated.",
     1},
    {"Node", "string", "",
     "NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate "
     "for scheduling by the scheduler defined in schedulerName. Once this field is set, the "
     "kubelet for this node becomes responsible for the lifecycle of this pod. This field should "
     "not be used to express a desire for the pod to be scheduled on a specific node. "
     "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename",
     1},
    {"Nominated Node", "string", "",
     "nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot "
     "be scheduled right away as preemption victims receive their graceful termination periods. "
     "This field does not guarantee that the pod will be scheduled on this node. Scheduler may "
     "decide to place the pod elsewhere if other nodes become available sooner. Scheduler may also "
     "decide to give the resources on this node to a higher priority pod that is created after "
     "preemption. As a result, this field may be different than PodSpec.nodeName when the pod is "
     "scheduled.",
     1},
    {"Readiness Gates", "string", "",
     "If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when "
     "all its containers are ready AND all conditions specified in the readiness gates have status "
     "equal to \"True\" More info: "
     "https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates",
     1},
};

constexpr Column serviceaccount_columns[] = {
    {"Name", "string", "name", name_text, 0},
    {"Age", "string", "", age_text, 0},
};

}  // namespace

std::span<const Column> columns_of(const Resource& resource) {
  if (resource.kind == "ConfigMap") return configmap_columns;
  if (resource.kind == "DaemonSet") return daemonset_columns;
  if (resource.kind == "Endpoints") return endpoints_columns;
  if (resource.kind == "Event") return event_columns;
  if (resource.kind == "Lease") return lease_columns;
  if (resource.kind == "Namespace") return namespace_columns;
  if (resource.kind == "Node") return node_columns;
  if (resource.kind == "Pod") return pod_columns;
  if (resource.kind == "ServiceAccount") return serviceaccount_columns;
  return {};
}

}  // namespace nlc::sim

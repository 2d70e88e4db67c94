#include "sim/apiserver/protobuf_schema.h"

#include <span>

/// Field numbers as compared with generated.proto of 0.36.3 (spec/api-server.md "Protobuf"); of
/// long types only what this server's clients write.
namespace nlc::sim {
namespace {

using enum FieldType;
using enum FieldCount;

struct MessageSchema {
  std::string_view name;
  std::span<const FieldSchema> fields;
};

constexpr FieldSchema fields_of_attached_volume[] = {
    {1, "name", Text, One, ""},
    {2, "devicePath", Text, One, ""},
};
constexpr FieldSchema fields_of_binding[] = {
    {1, "metadata", Message, One, "ObjectMeta"},
    {2, "target", Message, One, "ObjectReference"},
};
constexpr FieldSchema fields_of_config_map[] = {
    {1, "metadata", Message, One, "ObjectMeta"},
    {2, "data", Text, Map, ""},
    {3, "binaryData", Bytes, Map, ""},
    {4, "immutable", Boolean, Optional, ""},
};
constexpr FieldSchema fields_of_container[] = {
    {1, "name", Text, One, ""},
    {2, "image", Text, One, ""},
    {3, "command", Text, Many, ""},
    {4, "args", Text, Many, ""},
    {5, "workingDir", Text, One, ""},
    {6, "ports", Message, Many, "ContainerPort"},
    {7, "env", Message, Many, "EnvVar"},
    {8, "resources", Message, One, "ResourceRequirements"},
    {9, "volumeMounts", Message, Many, "VolumeMount"},
    {13, "terminationMessagePath", Text, One, ""},
    {14, "imagePullPolicy", Text, One, ""},
    {16, "stdin", Boolean, One, ""},
    {17, "stdinOnce", Boolean, One, ""},
    {18, "tty", Boolean, One, ""},
    {20, "terminationMessagePolicy", Text, One, ""},
};
constexpr FieldSchema fields_of_container_image[] = {
    {1, "names", Text, Many, ""},
    {2, "sizeBytes", Integer, One, ""},
};
constexpr FieldSchema fields_of_container_port[] = {
    {1, "name", Text, One, ""},
    {2, "hostPort", Integer, One, ""},
    {3, "containerPort", Integer, One, ""},
    {4, "protocol", Text, One, ""},
    {5, "hostIP", Text, One, ""},
};
constexpr FieldSchema fields_of_container_state[] = {
    {1, "waiting", Message, One, "ContainerStateWaiting"},
    {2, "running", Message, One, "ContainerStateRunning"},
    {3, "terminated", Message, One, "ContainerStateTerminated"},
};
constexpr FieldSchema fields_of_container_state_running[] = {
    {1, "startedAt", Time, One, ""},
};
constexpr FieldSchema fields_of_container_state_terminated[] = {
    {1, "exitCode", Integer, Optional, ""}, {2, "signal", Integer, One, ""},
    {3, "reason", Text, One, ""},           {4, "message", Text, One, ""},
    {5, "startedAt", Time, One, ""},        {6, "finishedAt", Time, One, ""},
    {7, "containerID", Text, One, ""},
};
constexpr FieldSchema fields_of_container_state_waiting[] = {
    {1, "reason", Text, One, ""},
    {2, "message", Text, One, ""},
};
constexpr FieldSchema fields_of_container_status[] = {
    {1, "name", Text, One, ""},
    {2, "state", Message, One, "ContainerState"},
    {3, "lastState", Message, One, "ContainerState"},
    {4, "ready", Boolean, Optional, ""},
    {5, "restartCount", Integer, Optional, ""},
    {6, "image", Text, Optional, ""},
    {7, "imageID", Text, Optional, ""},
    {8, "containerID", Text, One, ""},
    {9, "started", Boolean, Optional, ""},
};
constexpr FieldSchema fields_of_daemon_endpoint[] = {
    {1, "Port", Integer, Optional, ""},
};
constexpr FieldSchema fields_of_daemon_set[] = {
    {1, "metadata", Message, One, "ObjectMeta"},
    {2, "spec", Message, One, "DaemonSetSpec"},
    {3, "status", Message, One, "DaemonSetStatus"},
};
constexpr FieldSchema fields_of_daemon_set_spec[] = {
    {1, "selector", Message, One, "LabelSelector"},
    {2, "template", Message, One, "PodTemplateSpec"},
    {3, "updateStrategy", Message, One, "DaemonSetUpdateStrategy"},
    {4, "minReadySeconds", Integer, One, ""},
    {6, "revisionHistoryLimit", Integer, Optional, ""},
};
constexpr FieldSchema fields_of_daemon_set_status[] = {
    {1, "currentNumberScheduled", Integer, Optional, ""},
    {2, "numberMisscheduled", Integer, Optional, ""},
    {3, "desiredNumberScheduled", Integer, Optional, ""},
    {4, "numberReady", Integer, Optional, ""},
    {5, "observedGeneration", Integer, One, ""},
    {6, "updatedNumberScheduled", Integer, One, ""},
    {7, "numberAvailable", Integer, One, ""},
    {8, "numberUnavailable", Integer, One, ""},
};
constexpr FieldSchema fields_of_daemon_set_update_strategy[] = {
    {1, "type", Text, One, ""},
    {2, "rollingUpdate", Message, One, "RollingUpdateDaemonSet"},
};
constexpr FieldSchema fields_of_delete_options[] = {
    {1, "gracePeriodSeconds", Integer, Optional, ""},
    {2, "preconditions", Message, One, "Preconditions"},
    {3, "orphanDependents", Boolean, Optional, ""},
    {4, "propagationPolicy", Text, Optional, ""},
    {5, "dryRun", Text, Many, ""},
};
constexpr FieldSchema fields_of_endpoint_address[] = {
    {1, "ip", Text, One, ""},
    {2, "targetRef", Message, One, "ObjectReference"},
    {3, "hostname", Text, One, ""},
    {4, "nodeName", Text, Optional, ""},
};
constexpr FieldSchema fields_of_endpoint_port[] = {
    {1, "name", Text, One, ""},
    {2, "port", Integer, One, ""},
    {3, "protocol", Text, One, ""},
    {4, "appProtocol", Text, Optional, ""},
};
constexpr FieldSchema fields_of_endpoint_subset[] = {
    {1, "addresses", Message, Many, "EndpointAddress"},
    {2, "notReadyAddresses", Message, Many, "EndpointAddress"},
    {3, "ports", Message, Many, "EndpointPort"},
};
constexpr FieldSchema fields_of_endpoints[] = {
    {1, "metadata", Message, One, "ObjectMeta"},
    {2, "subsets", Message, Many, "EndpointSubset"},
};
constexpr FieldSchema fields_of_env_var[] = {
    {1, "name", Text, One, ""},
    {2, "value", Text, One, ""},
};
constexpr FieldSchema fields_of_event[] = {
    {1, "metadata", Message, One, "ObjectMeta"},
    {2, "involvedObject", Message, One, "ObjectReference"},
    {3, "reason", Text, One, ""},
    {4, "message", Text, One, ""},
    {5, "source", Message, One, "EventSource"},
    {6, "firstTimestamp", Time, One, ""},
    {7, "lastTimestamp", Time, One, ""},
    {8, "count", Integer, One, ""},
    {9, "type", Text, One, ""},
    {10, "eventTime", MicroTime, One, ""},
    {11, "series", Message, One, "EventSeries"},
    {12, "action", Text, One, ""},
    {13, "related", Message, One, "ObjectReference"},
    {14, "reportingComponent", Text, One, ""},
    {15, "reportingInstance", Text, One, ""},
};
constexpr FieldSchema fields_of_event_series[] = {
    {1, "count", Integer, One, ""},
    {2, "lastObservedTime", MicroTime, One, ""},
};
constexpr FieldSchema fields_of_event_source[] = {
    {1, "component", Text, One, ""},
    {2, "host", Text, One, ""},
};
constexpr FieldSchema fields_of_eviction[] = {
    {1, "metadata", Message, One, "ObjectMeta"},
    {2, "deleteOptions", Message, One, "DeleteOptions"},
};
constexpr FieldSchema fields_of_label_selector[] = {
    {1, "matchLabels", Text, Map, ""},
    {2, "matchExpressions", Message, Many, "LabelSelectorRequirement"},
};
constexpr FieldSchema fields_of_label_selector_requirement[] = {
    {1, "key", Text, One, ""},
    {2, "operator", Text, One, ""},
    {3, "values", Text, Many, ""},
};
constexpr FieldSchema fields_of_lease[] = {
    {1, "metadata", Message, One, "ObjectMeta"},
    {2, "spec", Message, One, "LeaseSpec"},
};
constexpr FieldSchema fields_of_lease_spec[] = {
    {1, "holderIdentity", Text, Optional, ""},
    {2, "leaseDurationSeconds", Integer, Optional, ""},
    {3, "acquireTime", MicroTime, One, ""},
    {4, "renewTime", MicroTime, One, ""},
    {5, "leaseTransitions", Integer, Optional, ""},
    {6, "strategy", Text, Optional, ""},
    {7, "preferredHolder", Text, Optional, ""},
};
constexpr FieldSchema fields_of_local_object_reference[] = {
    {1, "name", Text, One, ""},
};
constexpr FieldSchema fields_of_namespace[] = {
    {1, "metadata", Message, One, "ObjectMeta"},
    {2, "spec", Message, One, "NamespaceSpec"},
    {3, "status", Message, One, "NamespaceStatus"},
};
constexpr FieldSchema fields_of_namespace_condition[] = {
    {1, "type", Text, One, ""},
    {2, "status", Text, One, ""},
    {4, "lastTransitionTime", Time, One, ""},
    {5, "reason", Text, One, ""},
    {6, "message", Text, One, ""},
};
constexpr FieldSchema fields_of_namespace_spec[] = {
    {1, "finalizers", Text, Many, ""},
};
constexpr FieldSchema fields_of_namespace_status[] = {
    {1, "phase", Text, One, ""},
    {2, "conditions", Message, Many, "NamespaceCondition"},
};
constexpr FieldSchema fields_of_node[] = {
    {1, "metadata", Message, One, "ObjectMeta"},
    {2, "spec", Message, One, "NodeSpec"},
    {3, "status", Message, One, "NodeStatus"},
};
constexpr FieldSchema fields_of_node_address[] = {
    {1, "type", Text, One, ""},
    {2, "address", Text, One, ""},
};
constexpr FieldSchema fields_of_node_condition[] = {
    {1, "type", Text, One, ""},
    {2, "status", Text, One, ""},
    {3, "lastHeartbeatTime", Time, One, ""},
    {4, "lastTransitionTime", Time, One, ""},
    {5, "reason", Text, One, ""},
    {6, "message", Text, One, ""},
};
constexpr FieldSchema fields_of_node_daemon_endpoints[] = {
    {1, "kubeletEndpoint", Message, One, "DaemonEndpoint"},
};
constexpr FieldSchema fields_of_node_spec[] = {
    {1, "podCIDR", Text, One, ""},         {2, "externalID", Text, One, ""},
    {3, "providerID", Text, One, ""},      {4, "unschedulable", Boolean, One, ""},
    {5, "taints", Message, Many, "Taint"}, {7, "podCIDRs", Text, Many, ""},
};
constexpr FieldSchema fields_of_node_status[] = {
    {1, "capacity", Quantity, Map, ""},
    {2, "allocatable", Quantity, Map, ""},
    {3, "phase", Text, One, ""},
    {4, "conditions", Message, Many, "NodeCondition"},
    {5, "addresses", Message, Many, "NodeAddress"},
    {6, "daemonEndpoints", Message, One, "NodeDaemonEndpoints"},
    {7, "nodeInfo", Message, One, "NodeSystemInfo"},
    {8, "images", Message, Many, "ContainerImage"},
    {9, "volumesInUse", Text, Many, ""},
    {10, "volumesAttached", Message, Many, "AttachedVolume"},
    {14, "declaredFeatures", Text, Many, ""},
};
constexpr FieldSchema fields_of_node_swap_status[] = {
    {1, "capacity", Integer, Optional, ""},
};
constexpr FieldSchema fields_of_node_system_info[] = {
    {1, "machineID", Text, Optional, ""},
    {2, "systemUUID", Text, Optional, ""},
    {3, "bootID", Text, Optional, ""},
    {4, "kernelVersion", Text, Optional, ""},
    {5, "osImage", Text, Optional, ""},
    {6, "containerRuntimeVersion", Text, Optional, ""},
    {7, "kubeletVersion", Text, Optional, ""},
    {8, "kubeProxyVersion", Text, Optional, ""},
    {9, "operatingSystem", Text, Optional, ""},
    {10, "architecture", Text, Optional, ""},
    {11, "swap", Message, One, "NodeSwapStatus"},
};
constexpr FieldSchema fields_of_object_meta[] = {
    {1, "name", Text, One, ""},
    {2, "generateName", Text, One, ""},
    {3, "namespace", Text, One, ""},
    {4, "selfLink", Text, One, ""},
    {5, "uid", Text, One, ""},
    {6, "resourceVersion", Text, One, ""},
    {7, "generation", Integer, One, ""},
    {8, "creationTimestamp", Time, One, ""},
    {9, "deletionTimestamp", Time, One, ""},
    {10, "deletionGracePeriodSeconds", Integer, Optional, ""},
    {11, "labels", Text, Map, ""},
    {12, "annotations", Text, Map, ""},
    {13, "ownerReferences", Message, Many, "OwnerReference"},
    {14, "finalizers", Text, Many, ""},
};
constexpr FieldSchema fields_of_object_reference[] = {
    {1, "kind", Text, One, ""},       {2, "namespace", Text, One, ""},
    {3, "name", Text, One, ""},       {4, "uid", Text, One, ""},
    {5, "apiVersion", Text, One, ""}, {6, "resourceVersion", Text, One, ""},
    {7, "fieldPath", Text, One, ""},
};
constexpr FieldSchema fields_of_owner_reference[] = {
    {1, "kind", Text, One, ""},
    {3, "name", Text, One, ""},
    {4, "uid", Text, One, ""},
    {5, "apiVersion", Text, One, ""},
    {6, "controller", Boolean, Optional, ""},
    {7, "blockOwnerDeletion", Boolean, Optional, ""},
};
constexpr FieldSchema fields_of_pod[] = {
    {1, "metadata", Message, One, "ObjectMeta"},
    {2, "spec", Message, One, "PodSpec"},
    {3, "status", Message, One, "PodStatus"},
};
constexpr FieldSchema fields_of_pod_condition[] = {
    {1, "type", Text, One, ""},
    {2, "status", Text, One, ""},
    {3, "lastProbeTime", Time, One, ""},
    {4, "lastTransitionTime", Time, One, ""},
    {5, "reason", Text, One, ""},
    {6, "message", Text, One, ""},
    {7, "observedGeneration", Integer, One, ""},
};
constexpr FieldSchema fields_of_pod_ip[] = {
    {1, "ip", Text, One, ""},
};
constexpr FieldSchema fields_of_pod_readiness_gate[] = {
    {1, "conditionType", Text, One, ""},
};
constexpr FieldSchema fields_of_pod_security_context[] = {
    {2, "runAsUser", Integer, Optional, ""},
    {3, "runAsNonRoot", Boolean, Optional, ""},
    {6, "runAsGroup", Integer, Optional, ""},
};
constexpr FieldSchema fields_of_pod_spec[] = {
    {1, "volumes", Message, Many, "Volume"},
    {2, "containers", Message, Many, "Container"},
    {3, "restartPolicy", Text, One, ""},
    {4, "terminationGracePeriodSeconds", Integer, Optional, ""},
    {5, "activeDeadlineSeconds", Integer, Optional, ""},
    {6, "dnsPolicy", Text, One, ""},
    {7, "nodeSelector", Text, Map, ""},
    {8, "serviceAccountName", Text, One, ""},
    {9, "serviceAccount", Text, One, ""},
    {10, "nodeName", Text, One, ""},
    {11, "hostNetwork", Boolean, One, ""},
    {12, "hostPID", Boolean, One, ""},
    {13, "hostIPC", Boolean, One, ""},
    {14, "securityContext", Message, One, "PodSecurityContext"},
    {15, "imagePullSecrets", Message, Many, "LocalObjectReference"},
    {16, "hostname", Text, One, ""},
    {17, "subdomain", Text, One, ""},
    {19, "schedulerName", Text, One, ""},
    {20, "initContainers", Message, Many, "Container"},
    {21, "automountServiceAccountToken", Boolean, Optional, ""},
    {22, "tolerations", Message, Many, "Toleration"},
    {24, "priorityClassName", Text, One, ""},
    {25, "priority", Integer, Optional, ""},
    {27, "shareProcessNamespace", Boolean, Optional, ""},
    {28, "readinessGates", Message, Many, "PodReadinessGate"},
    {29, "runtimeClassName", Text, Optional, ""},
    {30, "enableServiceLinks", Boolean, Optional, ""},
    {31, "preemptionPolicy", Text, Optional, ""},
    {32, "overhead", Quantity, Map, ""},
};
constexpr FieldSchema fields_of_pod_status[] = {
    {1, "phase", Text, One, ""},
    {2, "conditions", Message, Many, "PodCondition"},
    {3, "message", Text, One, ""},
    {4, "reason", Text, One, ""},
    {5, "hostIP", Text, One, ""},
    {6, "podIP", Text, One, ""},
    {7, "startTime", Time, One, ""},
    {8, "containerStatuses", Message, Many, "ContainerStatus"},
    {9, "qosClass", Text, One, ""},
    {10, "initContainerStatuses", Message, Many, "ContainerStatus"},
    {11, "nominatedNodeName", Text, One, ""},
    {12, "podIPs", Message, Many, "PodIP"},
    {16, "hostIPs", Message, Many, "PodIP"},
    {17, "observedGeneration", Integer, One, ""},
};
constexpr FieldSchema fields_of_pod_template_spec[] = {
    {1, "metadata", Message, One, "ObjectMeta"},
    {2, "spec", Message, One, "PodSpec"},
};
constexpr FieldSchema fields_of_preconditions[] = {
    {1, "uid", Text, Optional, ""},
    {2, "resourceVersion", Text, Optional, ""},
};
constexpr FieldSchema fields_of_resource_requirements[] = {
    {1, "limits", Quantity, Map, ""},
    {2, "requests", Quantity, Map, ""},
};
constexpr FieldSchema fields_of_rolling_update_daemon_set[] = {
    {1, "maxUnavailable", IntOrString, One, ""},
    {2, "maxSurge", IntOrString, One, ""},
};
constexpr FieldSchema fields_of_service_account[] = {
    {1, "metadata", Message, One, "ObjectMeta"},
    {2, "secrets", Message, Many, "ObjectReference"},
    {3, "imagePullSecrets", Message, Many, "LocalObjectReference"},
    {4, "automountServiceAccountToken", Boolean, Optional, ""},
};
constexpr FieldSchema fields_of_taint[] = {
    {1, "key", Text, One, ""},
    {2, "value", Text, One, ""},
    {3, "effect", Text, One, ""},
    {4, "timeAdded", Time, One, ""},
};
constexpr FieldSchema fields_of_toleration[] = {
    {1, "key", Text, One, ""},
    {2, "operator", Text, One, ""},
    {3, "value", Text, One, ""},
    {4, "effect", Text, One, ""},
    {5, "tolerationSeconds", Integer, Optional, ""},
};
constexpr FieldSchema fields_of_volume[] = {
    {1, "name", Text, One, ""},
};
constexpr FieldSchema fields_of_volume_mount[] = {
    {1, "name", Text, One, ""},
    {2, "readOnly", Boolean, One, ""},
    {3, "mountPath", Text, One, ""},
    {4, "subPath", Text, One, ""},
};

constexpr MessageSchema messages[] = {
    {"AttachedVolume", fields_of_attached_volume},
    {"Binding", fields_of_binding},
    {"ConfigMap", fields_of_config_map},
    {"Container", fields_of_container},
    {"ContainerImage", fields_of_container_image},
    {"ContainerPort", fields_of_container_port},
    {"ContainerState", fields_of_container_state},
    {"ContainerStateRunning", fields_of_container_state_running},
    {"ContainerStateTerminated", fields_of_container_state_terminated},
    {"ContainerStateWaiting", fields_of_container_state_waiting},
    {"ContainerStatus", fields_of_container_status},
    {"DaemonEndpoint", fields_of_daemon_endpoint},
    {"DaemonSet", fields_of_daemon_set},
    {"DaemonSetSpec", fields_of_daemon_set_spec},
    {"DaemonSetStatus", fields_of_daemon_set_status},
    {"DaemonSetUpdateStrategy", fields_of_daemon_set_update_strategy},
    {"DeleteOptions", fields_of_delete_options},
    {"EndpointAddress", fields_of_endpoint_address},
    {"EndpointPort", fields_of_endpoint_port},
    {"EndpointSubset", fields_of_endpoint_subset},
    {"Endpoints", fields_of_endpoints},
    {"EnvVar", fields_of_env_var},
    {"Event", fields_of_event},
    {"EventSeries", fields_of_event_series},
    {"EventSource", fields_of_event_source},
    {"Eviction", fields_of_eviction},
    {"LabelSelector", fields_of_label_selector},
    {"LabelSelectorRequirement", fields_of_label_selector_requirement},
    {"Lease", fields_of_lease},
    {"LeaseSpec", fields_of_lease_spec},
    {"LocalObjectReference", fields_of_local_object_reference},
    {"Namespace", fields_of_namespace},
    {"NamespaceCondition", fields_of_namespace_condition},
    {"NamespaceSpec", fields_of_namespace_spec},
    {"NamespaceStatus", fields_of_namespace_status},
    {"Node", fields_of_node},
    {"NodeAddress", fields_of_node_address},
    {"NodeCondition", fields_of_node_condition},
    {"NodeDaemonEndpoints", fields_of_node_daemon_endpoints},
    {"NodeSpec", fields_of_node_spec},
    {"NodeStatus", fields_of_node_status},
    {"NodeSwapStatus", fields_of_node_swap_status},
    {"NodeSystemInfo", fields_of_node_system_info},
    {"ObjectMeta", fields_of_object_meta},
    {"ObjectReference", fields_of_object_reference},
    {"OwnerReference", fields_of_owner_reference},
    {"Pod", fields_of_pod},
    {"PodCondition", fields_of_pod_condition},
    {"PodIP", fields_of_pod_ip},
    {"PodReadinessGate", fields_of_pod_readiness_gate},
    {"PodSecurityContext", fields_of_pod_security_context},
    {"PodSpec", fields_of_pod_spec},
    {"PodStatus", fields_of_pod_status},
    {"PodTemplateSpec", fields_of_pod_template_spec},
    {"Preconditions", fields_of_preconditions},
    {"ResourceRequirements", fields_of_resource_requirements},
    {"RollingUpdateDaemonSet", fields_of_rolling_update_daemon_set},
    {"ServiceAccount", fields_of_service_account},
    {"Taint", fields_of_taint},
    {"Toleration", fields_of_toleration},
    {"Volume", fields_of_volume},
    {"VolumeMount", fields_of_volume_mount},
};

const MessageSchema* find_message(std::string_view name) {
  for (const MessageSchema& message : messages) {
    if (message.name == name) return &message;
  }
  return nullptr;
}

}  // namespace

const FieldSchema* find_field(std::string_view message, std::uint32_t number) {
  const MessageSchema* schema = find_message(message);
  if (schema == nullptr) return nullptr;
  for (const FieldSchema& field : schema->fields) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

const FieldSchema* find_field_named(std::string_view message, std::string_view name) {
  const MessageSchema* schema = find_message(message);
  if (schema == nullptr) return nullptr;
  for (const FieldSchema& field : schema->fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

}  // namespace nlc::sim

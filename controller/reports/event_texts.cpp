#include "controller/reports/event_texts.h"

namespace nlc::controller {

client::EventSubject subject_of(const NodeRef& node) {
  return {.kind = "Node", .name = node.name, .uid = node.uid};
}

client::EventText registered_node(const NodeRef& node) {
  return {
      .reason = "RegisteredNode",
      .message = "Node " + node.name + " event: Registered Node " + node.name + " in Controller"};
}

client::EventText removing_node(const NodeRef& node) {
  return {
      .reason = "RemovingNode",
      .message = "Node " + node.name + " event: Removing Node " + node.name + " from Controller"};
}

client::EventText node_not_ready(const NodeRef& node) {
  return {.reason = "NodeNotReady",
          .message = "Node " + node.name + " status is now: NodeNotReady"};
}

client::EventText deleting_all_pods(const NodeRef& node) {
  return {
      .reason = "DeletingAllPods",
      .message = "Node " + node.name + " event: Deleting all Pods from Node " + node.name + "."};
}

client::EventSubject subject_of(const PodRef& pod) {
  return {.kind = "Pod", .namespace_ = pod.namespace_, .name = pod.name, .uid = pod.uid};
}

client::EventSubject short_subject_of(const PodRef& pod) {
  return {.kind = "Pod", .namespace_ = pod.namespace_, .name = pod.name};
}

client::EventText pod_not_ready() {
  return {.type = "Warning", .reason = "NodeNotReady", .message = "Node is not ready"};
}

client::EventText marking_for_deletion(const PodRef& pod) {
  return {.reason = "TaintManagerEviction", .message = "Marking for deletion Pod " + pod.key()};
}

client::EventText cancelling_deletion(const PodRef& pod) {
  return {.reason = "TaintManagerEviction", .message = "Cancelling deletion of Pod " + pod.key()};
}

client::EventText deletion_on_its_way(const PodRef& pod) {
  return {.reason = "TaintManagerEviction",
          .message = "Too late to cancel the deletion of Pod " + pod.key()};
}

client::EventText marking_for_deletion(const PodRef& pod, const std::string& node) {
  return {.reason = "NodeControllerEviction",
          .message = "Marking for deletion Pod " + pod.name + " from Node " + node};
}

}  // namespace nlc::controller

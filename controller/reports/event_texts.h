#pragma once

#include "client/event_recorder.h"
#include "controller/rules/decision.h"

/// What events say, word for word as upstream does (spec/node-lifecycle.md "Events").
namespace nlc::controller {

/// About a node.
client::EventSubject subject_of(const NodeRef& node);
client::EventText registered_node(const NodeRef& node);
client::EventText removing_node(const NodeRef& node);
client::EventText node_not_ready(const NodeRef& node);
client::EventText deleting_all_pods(const NodeRef& node);

/// About a pod: the whole reference, or, for taint eviction, without its uid.
client::EventSubject subject_of(const PodRef& pod);
client::EventSubject short_subject_of(const PodRef& pod);
client::EventText pod_not_ready();
client::EventText marking_for_deletion(const PodRef& pod);
client::EventText cancelling_deletion(const PodRef& pod);
/// Against D-TE-10, which says that it is cancelled and deletes it.
client::EventText deletion_on_its_way(const PodRef& pod);
client::EventText marking_for_deletion(const PodRef& pod, const std::string& node);

}  // namespace nlc::controller

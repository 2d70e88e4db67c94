#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "controller/rules/decision.h"
#include "runtime/time.h"

/// A controller that observes: it decides as one that leads, performs nothing, and holds what it
/// decides against what the cluster shows, whoever does it there. Nothing here decides anything,
/// and nothing that decides may include it.
namespace nlc::controller::observe {

/// What a controller of this kind changes, each part for itself, however many share a write.
enum class ChangeKind : std::uint8_t {
  ConditionsUnknown,
  TaintAdded,
  TaintRemoved,
  PodNotReady,
  PodDeleted
};
inline constexpr std::array change_kinds{ChangeKind::ConditionsUnknown, ChangeKind::TaintAdded,
                                         ChangeKind::TaintRemoved, ChangeKind::PodNotReady,
                                         ChangeKind::PodDeleted};
/// As metrics, pages and logs name it: "conditions_unknown".
std::string_view name_of(ChangeKind kind);

/// One of these.
struct Change {
  ChangeKind kind = ChangeKind::ConditionsUnknown;
  std::string uid;     ///< of the object: another of its name is another
  std::string object;  ///< "node/n", "pod/ns/p"
  std::string node;    ///< itself, or where the pod is
  std::string value;   ///< of a taint: "node.kubernetes.io/unreachable:NoExecute"
};

/// By which two changes are the same one, however often it is wished for.
using ChangeKey = std::tuple<ChangeKind, std::string, std::string>;
inline ChangeKey key_of(const Change& change) { return {change.kind, change.uid, change.value}; }

bool is_no_execute(const Change& change);

/// What that decision would change; nothing for reads, and for labels, which are not compared.
std::vector<Change> changes_of(const Decision& decision);

/// What was done to a node that was seen before. Other taints than those that such a controller
/// manages are somebody else's matter.
std::vector<Change> changes_between(const api::Node& before, const api::Node& node);

Change pod_not_ready(const api::Pod& pod);
Change pod_deleted(const api::Pod& pod);
/// The Ready that its kubelet said is taken from it.
bool loses_ready(const api::Pod& before, const api::Pod& pod);

}  // namespace nlc::controller::observe

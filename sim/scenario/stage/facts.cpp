#include "sim/scenario/stage/facts.h"

#include <algorithm>

#include "sim/scenario/stage/outside_writes.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

std::string status_of(const Json& object, const std::string& type) {
  const Json status = object.value("status", Json::object());
  for (const Json& condition : status.value("conditions", Json::array())) {
    if (condition.value("type", "") == type) return condition.value("status", "");
  }
  return {};
}

bool has_taint(const Json& node, const TaintName& wanted) {
  const Json taints = node.value("spec", Json::object()).value("taints", Json::array());
  return std::ranges::any_of(taints, [&](const Json& taint) { return is_named(taint, wanted); });
}

}  // namespace

bool is_true(const Fact& fact, const Storage& storage, const ChangeLog& changes) {
  Json object = object_in(storage, "Node", fact.object);
  const std::string pod =
      fact.object.find('/') == std::string::npos ? "default/" + fact.object : fact.object;
  if (!object.is_object()) object = object_in(storage, "Pod", pod);
  const bool exists = object.is_object();
  switch (fact.kind) {
    case Fact::Kind::Condition:
      return exists && status_of(object, fact.condition) == fact.status;
    case Fact::Kind::HasTaint:
      return exists && has_taint(object, fact.taint);
    case Fact::Kind::LacksTaint:
      return exists && !has_taint(object, fact.taint);
    case Fact::Kind::DeletionRequested:
      return exists ? object["metadata"].contains("deletionTimestamp") : changes.knew_pod(pod);
    case Fact::Kind::Exists:
      return exists;
  }
  std::abort();  // unreachable: the switch is exhaustive
}

}  // namespace nlc::sim::scenario

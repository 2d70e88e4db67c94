#include "api/objects.h"

#include <algorithm>
#include <cstdlib>

namespace nlc::api {

std::string_view name_of(ConditionStatus status) {
  switch (status) {
    case ConditionStatus::True:
      return "True";
    case ConditionStatus::False:
      return "False";
    case ConditionStatus::Unknown:
      return "Unknown";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

bool same_taint(const Taint& left, const Taint& right) {
  return left.key == right.key && left.effect == right.effect;
}

const NodeCondition* Node::condition(std::string_view type) const {
  const auto found = std::ranges::find(conditions, type, &NodeCondition::type);
  return found == conditions.end() ? nullptr : &*found;
}

const std::string* Node::label(std::string_view key) const {
  const auto found = std::ranges::find(labels, key, &Labels::value_type::first);
  return found == labels.end() ? nullptr : &found->second;
}

const Taint* Node::taint(std::string_view key, std::string_view effect) const {
  const auto found = std::ranges::find_if(
      taints, [&](const Taint& taint) { return taint.key == key && taint.effect == effect; });
  return found == taints.end() ? nullptr : &*found;
}

}  // namespace nlc::api

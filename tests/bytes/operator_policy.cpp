#include "controller/pause/operator_policy.h"

#include <algorithm>

#include "readers.h"
#include "rule.h"

namespace nlc::bytes {
namespace {

using namespace controller;

bool same(const OperatorPolicy& left, const OperatorPolicy& right) {
  return std::ranges::equal(left.pauses, right.pauses,
                            [](const PauseOrder& one, const PauseOrder& other) {
                              return one.of == other.of && one.pause == other.pause &&
                                     one.zone == other.zone && one.text == other.text;
                            }) &&
         left.pods_per_second == right.pods_per_second &&
         left.pods_per_second_and_zone == right.pods_per_second_and_zone &&
         left.hold_in_disruption == right.hold_in_disruption;
}

/// The keys of a ConfigMap's data: each line that begins with "#" names the next.
api::Labels entries_of(std::string_view bytes) {
  api::Labels entries;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (line.starts_with('#')) {
      entries.emplace_back(line.substr(1), "");
    } else if (!entries.empty()) {
      entries.back().second.append(line).append("\n");
    }
  }
  return entries;
}

}  // namespace

/// What an operator asks for: his ConfigMap, selectors of nodes, and a node's annotation.
void read_operator_policy(std::string_view bytes) {
  const api::Labels labels{{"topology.kubernetes.io/zone", "a"}, {"disk", "ssd"}};
  const api::Labels data = entries_of(bytes);
  const ReadPolicy read = controller::read_operator_policy(data, {});
  const ReadPolicy again = controller::read_operator_policy(data, read.policy);
  must_hold(same(read.policy, again.policy) && read.trouble == again.trouble,
            "the same words say the same again, what of them cannot be read too");
  must_hold(read.policy.pods_per_second >= 0 && read.policy.pods_per_second_and_zone >= 0,
            "no pace is below nothing");
  for (const PauseOrder& order : read.policy.pauses) {
    (void)order.is_about("r/a", labels);
    const ReadPolicy alone = controller::read_operator_policy({{"pause", order.text}}, {});
    must_hold(alone.trouble.empty() && alone.policy.pauses.size() == 1 &&
                  alone.policy.pauses.front().of == order.of &&
                  alone.policy.pauses.front().zone == order.zone,
              "an order is shown as it can be given");
  }
  if (const auto selector = LabelSelector::read(bytes)) (void)selector->matches(labels);
  if (const auto pause = pause_named(bytes)) {
    must_hold(name_of(*pause) == bytes, "a pause has one name");
  }
}

}  // namespace nlc::bytes

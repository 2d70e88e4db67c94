#include "sim/fuzz/marks.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <string_view>

#include "sim/fuzz/drawn_day.h"

namespace nlc::sim::fuzz {
namespace {

/// A line of a log that begins so, and has such a field.
struct Told {
  std::string_view message;
  std::string_view field = {};
};

constexpr auto told = std::to_array<Told>({
    {"judgement held", "reason=server_paused"},
    {"judgement held", "reason=stream_stalled"},
    {"judgement held", "reason=version_rewound"},
    {"judgement held", "reason=lease_unread"},
    {"judgement held", "reason=node_unread"},
    {"judgement still held"},
    {"judgement resumed"},
    {"zone changed state", "before=Normal"},
    {"zone changed state", "before=PartialDisruption"},
    {"zone changed state", "before=FullDisruption"},
    {"zone changed state", "after=Normal"},
    {"zone changed state", "after=PartialDisruption"},
    {"zone changed state", "after=FullDisruption"},
    {"watch interrupted", "reason=version_gone"},
    {"watch interrupted", "reason=unavailable"},
    {"watch interrupted", "reason=timeout"},
    {"watch interrupted", "reason=closed"},
    {"watch interrupted", "reason=forbidden"},
    {"watch interrupted", "reason=not_found"},
    {"watch interrupted", "reason=throttled"},
    {"watch interrupted", "reason=initial_events_unfinished"},
    {"watch resumed"},
    {"node marked unknown"},
    {"node came back"},
    {"node taints changed", "added=node.kubernetes.io/unreachable:NoSchedule"},
    {"node taints changed", "node.kubernetes.io/unreachable:NoExecute"},
    {"node taints changed", "node.kubernetes.io/not-ready:NoExecute"},
    {"node taints changed", "removed=node.kubernetes.io"},
    {"node taints changed", "node.kubernetes.io/unschedulable"},
    {"node write refused", "409"},
    {"node write refused", "403"},
    {"node write refused", "422"},
    {"node write refused", "429"},
    {"node write refused", "503"},
    {"node write refused", "NotFound"},
    {"node write refused", "no answer in time"},
    {"node writes taken again"},
    {"pod marked not ready"},
    {"pod evicted"},
    {"pod write refused"},
    {"pod writes taken again"},
    {"eviction refused"},
    {"evictions taken again"},
    {"eviction cancelled"},
    {"node's pods are evicted"},
    {"write undone by somebody"},
    {"decided otherwise"},
    {"policy in force"},
    {"policy cannot be read"},
    {"policy is readable again"},
    {"a part of the policy does nothing"},
    {"node's pause is another"},
    {"began to lead"},
    {"ceased to lead"},
    {"lost leadership"},
    {"leader changed"},
    {"the lock cannot be watched"},
    {"work is stuck"},
    {"renewal was slow"},
    {"election in trouble"},
    {"election in trouble", "Conflict"},
    {"election in trouble", "no answer in time"},
    {"election in trouble", "the server went back in time"},
    {"election is no longer in trouble"},
});

std::string name_of(const Told& mark) {
  return "log: " + std::string(mark.message) + (mark.field.empty() ? "" : " ") +
         std::string(mark.field);
}

bool tells(const scenario::LogLine& line, const Told& mark) {
  return line.text.starts_with(mark.message) && line.text.find(mark.field) != line.text.npos;
}

}  // namespace

const std::vector<std::string>& marks() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names = kinds();
    std::ranges::transform(told, std::back_inserter(names), name_of);
    assert(names.size() <= MarkSet().size());
    return names;
  }();
  return all;
}

MarkSet marks_of(const Day& day, const std::vector<scenario::LogLine>& log) {
  MarkSet found;
  const std::vector<std::string>& lines = kinds();
  for (const std::vector<Line>* part : {&day.flags, &day.given, &day.timeline}) {
    for (const Line& line : *part) {
      const auto kind = std::ranges::find(lines, line.kind);
      if (kind != lines.end()) found.set(static_cast<std::size_t>(kind - lines.begin()));
    }
  }
  for (std::size_t i = 0; i < told.size(); ++i) {
    const bool seen =
        std::ranges::any_of(log, [&](const auto& line) { return tells(line, told[i]); });
    if (seen) found.set(lines.size() + i);
  }
  return found;
}

}  // namespace nlc::sim::fuzz

#include "nlc/demo_timeline.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace nlc::sim {
namespace {

struct Wording {
  std::string_view what;
  Ink ink;
  bool of_pods;
};

Wording wording(Moment moment) {
  switch (moment) {
    case Moment::PowerCut:
      return {"silent", Ink::Red, false};
    case Moment::NotReady:
      return {"Ready False", Ink::Red, false};
    case Moment::Unknown:
      return {"Unknown", Ink::Red, false};
    case Moment::NoSchedule:
      return {"NoSchedule", Ink::Yellow, false};
    case Moment::NoExecute:
      return {"NoExecute", Ink::Yellow, false};
    case Moment::PodNotReady:
      return {"pods NotReady", Ink::Yellow, true};
    case Moment::PodMarked:
      return {"pods deleted", Ink::Red, true};
    case Moment::PowerBack:
      return {"power back", Ink::Green, false};
    case Moment::Renewed:
      return {"lease renewed", Ink::Green, false};
    case Moment::Ready:
      return {"Ready", Ink::Green, false};
    case Moment::TaintsGone:
      return {"taints gone", Ink::Green, false};
    case Moment::PodGone:
      return {"pods ended", Ink::Faint, true};
  }
  std::abort();  // unreachable: the switch is exhaustive and -Wswitch is an error
}

std::string_view escape_of(Ink ink) {
  switch (ink) {
    case Ink::Plain:
      return "";
    case Ink::Red:
      return "\033[31m";
    case Ink::Yellow:
      return "\033[33m";
    case Ink::Green:
      return "\033[32m";
    case Ink::Faint:
      return "\033[2m";
    case Ink::Bold:
      return "\033[1m";
  }
  std::abort();  // unreachable: the switch is exhaustive and -Wswitch is an error
}

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  if (result.size() < width) result.append(width - result.size(), ' ');
  return result;
}

}  // namespace

std::string inked(std::string_view text, Ink ink, bool coloured) {
  if (!coloured || ink == Ink::Plain) return std::string(text);
  return std::string(escape_of(ink)) + std::string(text) + "\033[0m";
}

void DemoTimeline::add(const Happening& happening) {
  const auto same = std::ranges::find_if(open_, [&](const Group& group) {
    return group.moment == happening.moment && happening.at - group.began <= options_.gather;
  });
  if (same != open_.end()) {
    ++same->nodes[happening.node];
    return;
  }
  open_.push_back({happening.moment, happening.at, {{happening.node, 1}}});
}

std::vector<std::string> DemoTimeline::take_lines(Instant now) {
  std::vector<std::string> lines;
  while (!open_.empty() && now - open_.front().began > options_.gather) {
    lines.push_back(told(open_.front()));
    open_.erase(open_.begin());
  }
  return lines;
}

std::string DemoTimeline::line(Instant at, std::string_view what, std::string_view text,
                               Ink ink) const {
  std::array<char, 24> time{};
  std::snprintf(time.data(), time.size(), "%+7.1fs",
                std::chrono::duration<double>(at - options_.start).count());
  return inked(time.data(), Ink::Faint, options_.coloured) + "  " +
         inked(padded(what, 14), ink, options_.coloured) + "  " + std::string(text);
}

std::string DemoTimeline::told(const Group& group) const {
  const Wording words = wording(group.moment);
  std::vector<std::string> names;
  std::size_t count = 0;
  for (const auto& [name, times] : group.nodes) {
    names.push_back(name);
    count += times;
  }
  std::string who;
  if (words.of_pods) who = std::to_string(count) + (count == 1 ? " pod of " : " pods of ");
  for (const std::string& name : names) who += (&name == &names.front() ? "" : " ") + name;
  const std::string remark = remark_(group.moment, names);
  if (!remark.empty()) {
    who = padded(who, 40) + "  " + inked(remark, Ink::Faint, options_.coloured);
  }
  return line(group.began, words.what, who, words.ink);
}

}  // namespace nlc::sim

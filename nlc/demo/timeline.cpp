#include "nlc/demo/timeline.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace nlc::workbench {
namespace {

Ink ink_of(Moment moment) {
  switch (moment) {
    case Moment::PowerCut:
    case Moment::NotReady:
    case Moment::Unknown:
    case Moment::PodMarked:
      return Ink::Red;
    case Moment::NoSchedule:
    case Moment::NoExecute:
    case Moment::PodNotReady:
      return Ink::Yellow;
    case Moment::PowerBack:
    case Moment::Renewed:
    case Moment::Ready:
    case Moment::TaintsGone:
      return Ink::Green;
    case Moment::PodGone:
      return Ink::Faint;
  }
  std::abort();  // unreachable: the switch is exhaustive and -Wswitch is an error
}

constexpr std::array<std::string_view, 6> escapes{"",         "\033[31m", "\033[33m",
                                                  "\033[32m", "\033[2m",  "\033[1m"};

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  if (result.size() < width) result.append(width - result.size(), ' ');
  return result;
}

}  // namespace

std::string inked(std::string_view text, Ink ink, bool coloured) {
  if (!coloured || ink == Ink::Plain) return std::string(text);
  return std::string(escapes.at(static_cast<std::size_t>(ink))) + std::string(text) + "\033[0m";
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
  std::vector<std::string> names;
  std::size_t count = 0;
  for (const auto& [name, times] : group.nodes) {
    names.push_back(name);
    count += times;
  }
  std::string who;
  if (is_of_pods(group.moment))
    who = std::to_string(count) + (count == 1 ? " pod of " : " pods of ");
  for (const std::string& name : names) who += (&name == &names.front() ? "" : " ") + name;
  const std::string remark = remark_(group.moment, names);
  if (!remark.empty()) {
    who = padded(who, 40) + "  " + inked(remark, Ink::Faint, options_.coloured);
  }
  return line(group.began, title_of(group.moment), who, ink_of(group.moment));
}

}  // namespace nlc::workbench

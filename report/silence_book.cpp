#include "report/silence_book.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/spread.h"

namespace nlc::report {
namespace {

using Object = nlohmann::ordered_json;

/// Milliseconds with one decimal.
double rounded(Duration span) { return std::round(milliseconds(span) * 10) / 10; }

Object spread_object(const std::vector<Duration>& delays) {
  const Spread spread = spread_of(delays);
  if (spread.count == 0) return {{"count", 0}};
  return {{"count", spread.count},
          {"p50_ms", rounded(spread.p50)},
          {"p99_ms", rounded(spread.p99)},
          {"max_ms", rounded(spread.most)}};
}

}  // namespace

SilenceBook::SilenceBook(Duration grace, Write write) : grace_(grace), write_(std::move(write)) {}

void SilenceBook::on_killed(const std::string& node, const Death& death) {
  const bool is_new = stories_.emplace(node, Story{.death = death}).second;
  assert(is_new);
  ++deaths_;
  observer_.power_cut(node, death.at);
}

void SilenceBook::on_revived(const std::string& node, Instant now) {
  if (const auto story = stories_.extract(node)) tell(node, story.mapped());
  observer_.power_back(node, now);
}

void SilenceBook::on(const Happening& happening) {
  const auto found = stories_.find(happening.node);
  Story* story = found == stories_.end() ? nullptr : &found->second;
  switch (happening.moment) {
    case Moment::Unknown:
      return note_unknown(happening, story);
    case Moment::NoSchedule:
      return note(happening, story, Deed::NoSchedule);
    case Moment::NoExecute:
      return note(happening, story, Deed::NoExecute);
    case Moment::PodNotReady:
      return note_pod(happening, story, Deed::PodsNotReady, &Story::pods_not_ready);
    case Moment::PodMarked:
      return note_pod(happening, story, Deed::PodsDeleted, &Story::pods_deleted);
    case Moment::PowerCut:
    case Moment::NotReady:
    case Moment::PowerBack:
    case Moment::Renewed:
    case Moment::Ready:
    case Moment::TaintsGone:
    case Moment::PodGone:
      return;
  }
}

void SilenceBook::note_unknown(const Happening& happening, Story* story) {
  if (story != nullptr) return note(happening, story, Deed::Unknown);
  const bool has_power = observer_.of(happening.node).power == Power::On;
  if (!has_power || !condemned_.insert(happening.node).second) return;
  write_(Object{{"condemned_though_healthy", happening.node}}.dump());
}

void SilenceBook::note_pod(const Happening& happening, Story* story, Deed deed,
                           std::uint32_t Story::*count) {
  if (story == nullptr) return;
  if (++(story->*count) == story->death.pods) note(happening, story, deed);
}

void SilenceBook::note(const Happening& happening, Story* story, Deed deed) {
  if (story == nullptr || story->seen.at(index_of(deed))) return;
  story->seen.at(index_of(deed)) = happening.at;
  const bool complete = std::ranges::all_of(all_deeds, [story](Deed needed) {
    const bool of_pods = needed == Deed::PodsNotReady || needed == Deed::PodsDeleted;
    return story->seen.at(index_of(needed)) || (of_pods && story->death.pods == 0);
  });
  if (complete) tell(happening.node, stories_.extract(happening.node).mapped());
}

void SilenceBook::tell(const std::string& node, const Story& story) {
  const Instant heartbeat = observer_.of(node).last_heartbeat.value_or(Instant{});
  Object after = Object::object();
  for (const Deed deed : all_deeds) {
    const std::optional<Instant> seen = story.seen.at(index_of(deed));
    Object& told = after[std::string(name_of(deed))];
    if (!seen) continue;
    const Duration delay = *seen - heartbeat - grace_;
    told = rounded(delay);
    delays_.at(index_of(deed)).push_back(delay);
  }
  const Object line{{"node", node},
                    {"killed_at", rfc3339_micro(story.death.wall)},
                    {"heartbeat_after_kill_ms", rounded(heartbeat - story.death.at)},
                    {"after_grace_ms", after},
                    {"pods",
                     {{"running", story.death.pods},
                      {"not_ready", story.pods_not_ready},
                      {"deleted", story.pods_deleted}}}};
  write_(line.dump());
}

void SilenceBook::close() {
  for (const auto& [node, story] : std::exchange(stories_, {})) tell(node, story);
}

std::string SilenceBook::summary(std::size_t gaps) const {
  Object spreads = Object::object();
  for (const Deed deed : all_deeds) {
    spreads[std::string(name_of(deed))] = spread_object(delays_.at(index_of(deed)));
  }
  const Object whole{{"killed", deaths_},
                     {"grace_ms", rounded(grace_)},
                     {"healthy_condemned", condemned_.size()},
                     {"watch_interruptions", gaps},
                     {"after_grace", spreads}};
  return Object{{"summary", whole}}.dump();
}

}  // namespace nlc::report

#include "sim/fuzz/stories.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/go_duration.h"
#include "sim/fuzz/story_teller.h"

namespace nlc::sim::fuzz {
namespace {

using namespace std::chrono_literals;

/// Of the days that have any.
constexpr double story_share = 0.12;

/// Which days a story can be of.
enum class Of { Any, Alone, Elected, Contended };

struct Story {
  const char* name;
  void (StoryTeller::*add)();
  Duration takes;  ///< trouble that is shorter has none of it
  Of of = Of::Any;
};
constexpr auto story_kinds = std::to_array<Story>({
    {"story: unclear taints", &StoryTeller::unclear_taints, 2min},
    {"story: hanging taints", &StoryTeller::hanging_taints, 3min},
    {"story: leases in the queue", &StoryTeller::leases_in_the_queue, 2min},
    {"story: leads again", &StoryTeller::queue_of_who_leads_again, 2min},
    {"story: unseen return", &StoryTeller::unseen_return, 3min},
    {"story: start after an outage", &StoryTeller::start_after_an_outage, 150s, Of::Alone},
    {"story: taint brought back", &StoryTeller::taint_brought_back, 130s, Of::Alone},
    {"story: restored while cut off", &StoryTeller::restored_while_cut_off, 40s},
    {"story: restored twice", &StoryTeller::restored_twice, 40s},
    {"story: restored between renewals", &StoryTeller::restored_between_renewals, 50s},
    {"story: ghosts in a zone", &StoryTeller::ghosts_in_a_zone, 30s},
    {"story: free lock brought back", &StoryTeller::free_lock_brought_back, 35s, Of::Contended},
    {"story: late answer to a renewal", &StoryTeller::late_answer_to_a_renewal, 35s, Of::Contended},
    {"story: lost the lock", &StoryTeller::queue_of_who_lost_the_lock, 2min, Of::Elected},
    {"story: a taint goes", &StoryTeller::taint_that_goes, 2min},
    {"story: restored before it was heard", &StoryTeller::restored_before_it_was_heard, 75s},
    {"story: restored behind a cache", &StoryTeller::restored_behind_a_cache, 60s},
    {"story: late server", &StoryTeller::late_server, 2min},
    {"story: eviction undone", &StoryTeller::eviction_undone, 150s},
    {"story: restored while nobody leads", &StoryTeller::restored_while_nobody_leads, 50s,
     Of::Elected},
    {"story: restored before its caches", &StoryTeller::restored_before_its_caches, 40s,
     Of::Elected},
    // The last, for it is told where none before it has a backup.
    {"story: restored without watches", &StoryTeller::restored_without_watches, 65s, Of::Alone},
});

bool is_of(Of of, bool contended, bool elects) {
  switch (of) {
    case Of::Any:
      return true;
    case Of::Alone:
      return !contended && !elects;
    case Of::Elected:
      return contended || elects;
    case Of::Contended:
      return contended;
  }
  return false;
}

}  // namespace

void StoryTeller::add() {
  const bool contended = replicas_.size() > 1 && replicas_[1] != "watcher";
  const bool elects = std::ranges::any_of(
      day_.flags, [](const Line& flag) { return flag.texts.front() == "leader-elect: true"; });
  for (const Story& story : story_kinds) {
    const bool fits = span_.until - span_.from >= story.takes;
    if (!draw_.chance(story_share) || !fits || !is_of(story.of, contended, elects)) continue;
    kind_ = story.name;
    ++story_;
    (this->*story.add)();
  }
}

std::string StoryTeller::new_node(std::string in) {
  if (in.empty()) in = zone();
  std::string name = "story-" + std::to_string(nodes_++);
  day_.given.push_back({.kind = "node: in a zone", .texts = {node_words(name, zone_label + in)}});
  return name;
}

void StoryTeller::lives(const std::string& node, Duration from, Duration until) {
  day_.timeline.push_back(
      {.kind = until == day_.ends ? "kubelet: exact" : "kubelet: dies",
       .texts = kubelet_words(node, from == Duration{0} ? time(0s, 9s) : from, until)});
}

std::string StoryTeller::new_pod(const std::string& node, const std::string& seconds) {
  if (seconds == "0") return pod_with(node, "[]", "nothing");
  return pod_with(node, outage_tolerations(seconds), seconds + "s");
}

std::string StoryTeller::pod_with(const std::string& node, const std::string& tolerations,
                                  const std::string& kind) {
  std::string name = "story-pod-" + std::to_string(pods_++);
  day_.given.push_back(
      {.kind = "pod: tolerates " + kind,
       .texts = {pod_words(name, "nodeName: " + node + ", tolerations: " + tolerations)}});
  return name;
}

Duration StoryTeller::grace_period() const {
  constexpr std::string_view name = "node-monitor-grace-period: ";
  for (const Line& flag : day_.flags) {
    const std::string& text = flag.texts.front();
    if (!text.starts_with(name)) continue;
    if (const std::optional<Duration> grace = parse_go_duration(text.substr(name.size())))
      return *grace;
  }
  return 40s;
}

void StoryTeller::cut_off(Duration from, Duration until, const std::string& how) {
  for (const std::string& replica : replicas_) {
    step(from, until, "link: {state: " + how + replica_words(replica) + "}");
  }
}

void StoryTeller::step(std::string words) {
  day_.timeline.push_back({.kind = kind_, .texts = {std::move(words)}});
}

void StoryTeller::step(Duration at, const std::string& words) {
  step("at: " + go_duration(at) + ", " + words);
}

void StoryTeller::step(Duration from, Duration until, const std::string& words) {
  step(during({from, until}) + ", " + words);
}

void add_stories(Day& day, const std::vector<std::string>& replicas, Span span) {
  StoryTeller(day, replicas, span).add();
}

std::vector<std::string> story_names() {
  std::vector<std::string> names;
  for (const Story& story : story_kinds) names.emplace_back(story.name);
  return names;
}

}  // namespace nlc::sim::fuzz

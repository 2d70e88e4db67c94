#include "sim/experiment/silence_book.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/experiment/spread.h"

namespace nlc::sim {
namespace {

using Object = nlohmann::ordered_json;

constexpr std::string_view unreachable = "node.kubernetes.io/unreachable";
constexpr std::array all_deeds{Deed::Unknown, Deed::NoSchedule, Deed::NoExecute, Deed::PodsNotReady,
                               Deed::PodsDeleted};

std::size_t place(Deed deed) { return static_cast<std::size_t>(deed); }

double milliseconds(Duration span) {
  const double exact = std::chrono::duration<double, std::milli>(span).count();
  return std::round(exact * 10) / 10;
}

Object spread_object(const std::vector<Duration>& delays) {
  const experiment::Spread spread = experiment::spread_of(delays);
  if (spread.count == 0) return {{"count", 0}};
  return {{"count", spread.count},
          {"p50_ms", milliseconds(spread.p50)},
          {"p99_ms", milliseconds(spread.p99)},
          {"max_ms", milliseconds(spread.most)}};
}

}  // namespace

std::string_view name_of(Deed deed) {
  switch (deed) {
    case Deed::Unknown:
      return "unknown";
    case Deed::NoSchedule:
      return "no_schedule";
    case Deed::NoExecute:
      return "no_execute";
    case Deed::PodsNotReady:
      return "pods_not_ready";
    case Deed::PodsDeleted:
      return "pods_deleted";
  }
  std::abort();  // unreachable: the switch is exhaustive and -Wswitch is an error
}

void SilenceBook::on_killed(const std::string& node, const Death& death) {
  Machine& machine = machines_[node];
  assert(!machine.story);
  ++deaths_;
  machine.power = Power::Off;
  machine.story = Story{.death = death};
}

void SilenceBook::on_revived(const std::string& node) {
  Machine& machine = machines_[node];
  if (machine.story) tell(node, machine);
  if (machine.power == Power::Off) machine.power = Power::Back;
}

void SilenceBook::beat(Machine& machine, Instant now) {
  machine.last_beat = now;
  if (machine.power == Power::Back) machine.power = Power::On;
}

void SilenceBook::on_lease(const api::NodeLease& lease, Instant now) {
  Machine& machine = machines_[lease.name];
  if (std::exchange(machine.renewed, lease.renewed) != lease.renewed) beat(machine, now);
}

/// The controller's own write moves no heartbeat: it says Unknown and leaves the time as it was.
void SilenceBook::on_node(const api::Node& node, Instant now) {
  Machine& machine = machines_[node.name];
  if (const api::NodeCondition* ready = node.condition(api::condition::ready)) {
    const bool unknown = ready->status == api::ConditionStatus::Unknown;
    const bool turned = !std::exchange(machine.unknown, unknown) && unknown;
    if (turned) note_unknown(node.name, machine, now);
    const bool moved =
        std::exchange(machine.reported, ready->last_heartbeat) != ready->last_heartbeat;
    if (moved && !unknown) beat(machine, now);
  }
  if (!machine.story) return;
  if (node.taint(unreachable, api::effect::no_schedule) != nullptr) {
    note(node.name, machine, Deed::NoSchedule, now);
  }
  if (node.taint(unreachable, api::effect::no_execute) != nullptr) {
    note(node.name, machine, Deed::NoExecute, now);
  }
}

void SilenceBook::note_unknown(const std::string& name, Machine& machine, Instant now) {
  if (machine.story) return note(name, machine, Deed::Unknown, now);
  if (machine.power != Power::On || !condemned_.insert(name).second) return;
  lines_.push_back(Object{{"condemned_though_healthy", name}}.dump());
}

void SilenceBook::note(const std::string& name, Machine& machine, Deed deed, Instant now) {
  std::optional<Instant>& seen = machine.story->seen.at(place(deed));
  if (seen) return;
  seen = now;
  if (complete(*machine.story)) tell(name, machine);
}

SilenceBook::Machine* SilenceBook::silenced(std::string_view node) {
  const auto found = machines_.find(node);
  return found == machines_.end() || !found->second.story ? nullptr : &found->second;
}

void SilenceBook::on_pod(const api::Pod& pod, Instant now) {
  if (pod.deleting) return on_pod_gone(pod, now);
  Machine* machine = silenced(pod.node_name);
  if (machine == nullptr || !pod.ready || pod.ready->status == api::ConditionStatus::True) return;
  std::set<std::string>& pods = machine->story->pods_not_ready;
  pods.insert(pod.key());
  if (pods.size() == machine->story->death.pods) {
    note(pod.node_name, *machine, Deed::PodsNotReady, now);
  }
}

void SilenceBook::on_pod_gone(const api::Pod& pod, Instant now) {
  Machine* machine = silenced(pod.node_name);
  if (machine == nullptr) return;
  std::set<std::string>& pods = machine->story->pods_deleted;
  pods.insert(pod.key());
  if (pods.size() == machine->story->death.pods) {
    note(pod.node_name, *machine, Deed::PodsDeleted, now);
  }
}

bool SilenceBook::complete(const Story& story) const {
  const std::size_t deeds = story.death.pods == 0 ? place(Deed::PodsNotReady) : deed_count;
  return std::all_of(story.seen.begin(), story.seen.begin() + static_cast<std::ptrdiff_t>(deeds),
                     [](const std::optional<Instant>& seen) { return seen.has_value(); });
}

void SilenceBook::tell(const std::string& name, Machine& machine) {
  const Story story = *std::exchange(machine.story, std::nullopt);
  const Instant grace_end = machine.last_beat + grace_;
  Object after = Object::object();
  for (const Deed deed : all_deeds) {
    const std::optional<Instant> seen = story.seen.at(place(deed));
    Object& told = after[std::string(name_of(deed))];
    if (!seen) continue;
    told = milliseconds(*seen - grace_end);
    delays_.at(place(deed)).push_back(*seen - grace_end);
  }
  const Object line{{"node", name},
                    {"killed_at", rfc3339_micro(story.death.wall)},
                    {"heartbeat_after_kill_ms", milliseconds(machine.last_beat - story.death.at)},
                    {"after_grace_ms", after},
                    {"pods",
                     {{"running", story.death.pods},
                      {"not_ready", story.pods_not_ready.size()},
                      {"deleted", story.pods_deleted.size()}}}};
  lines_.push_back(line.dump());
}

std::vector<std::string> SilenceBook::take_lines() { return std::exchange(lines_, {}); }

void SilenceBook::close() {
  for (auto& [name, machine] : machines_) {
    if (machine.story) tell(name, machine);
  }
}

std::string SilenceBook::summary() const {
  Object spreads = Object::object();
  for (const Deed deed : all_deeds) {
    spreads[std::string(name_of(deed))] = spread_object(delays_.at(place(deed)));
  }
  const Object whole{{"killed", deaths_},
                     {"grace_ms", milliseconds(grace_)},
                     {"healthy_condemned", condemned_.size()},
                     {"watch_interruptions", gaps_},
                     {"after_grace", spreads}};
  return Object{{"summary", whole}}.dump();
}

}  // namespace nlc::sim

#include "sim/kubelet/hollow_pods.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace nlc::sim {
namespace {

bool is_ready(const api::Pod& pod) {
  return pod.ready && pod.ready->status == api::ConditionStatus::True;
}

/// What a kubelet owes a pod in this state.
PodAction action_for(const api::Pod& pod, bool started) {
  if (pod.finished) return pod.deleting ? PodAction::Remove : PodAction::None;
  if (pod.deleting) return PodAction::Finish;
  if (!pod.ready) return PodAction::Start;
  if (is_ready(pod)) return PodAction::None;
  return started ? PodAction::Repair : PodAction::Start;
}

}  // namespace

void HollowPods::observe(const api::Pod& pod, Instant now) {
  Record& record = record_of(pod);
  record.running = is_ready(pod) && !pod.deleting && !pod.finished;
  if (record.running && !record.started) record.started = pod.ready->last_transition;
  const PodAction action = action_for(pod, record.started.has_value());
  // A action that waits already keeps its moment: other changes of the pod must not put it off.
  if (action == record.action) return;
  record.action = action;
  record.due = now + wait_before(action);
}

void HollowPods::forget(std::string_view key) {
  std::erase_if(records_, [&](const Record& record) { return record.key == key; });
}

void HollowPods::restart(Instant now) {
  for (Record& record : records_) {
    const PodAction lost = std::exchange(record.taken, PodAction::None);
    if (record.action == PodAction::None) record.action = lost;
    record.due = now + wait_before(record.action);
  }
}

std::optional<Instant> HollowPods::next_due() const {
  std::optional<Instant> earliest;
  for (const Record& record : records_) {
    if (is_waiting(record) && (!earliest || record.due < *earliest)) earliest = record.due;
  }
  return earliest;
}

std::vector<PodJob> HollowPods::take_due(Instant now, WallTime wall) {
  std::vector<PodJob> jobs;
  for (Record& record : records_) {
    if (!is_waiting(record) || record.due > now) continue;
    if (!record.started) record.started = wall;
    record.taken = std::exchange(record.action, PodAction::None);
    jobs.push_back({.action = record.taken,
                    .key = record.key,
                    .uid = record.uid,
                    .serial = record.serial,
                    .started = *record.started});
  }
  return jobs;
}

void HollowPods::on_done(std::string_view key, bool accepted, Instant now) {
  Record* record = find(key);
  if (record == nullptr || record->taken == PodAction::None) return;
  const PodAction done = std::exchange(record->taken, PodAction::None);
  if (accepted || record->action != PodAction::None) return;
  record->action = done;
  record->due = now + timing_->sync;
}

std::size_t HollowPods::running() const {
  return static_cast<std::size_t>(std::ranges::count(records_, true, &Record::running));
}

bool HollowPods::is_waiting(const Record& record) {
  return record.action != PodAction::None && record.taken == PodAction::None;
}

HollowPods::Record* HollowPods::find(std::string_view key) {
  const auto found = std::ranges::find(records_, key, &Record::key);
  return found == records_.end() ? nullptr : &*found;
}

HollowPods::Record& HollowPods::record_of(const api::Pod& pod) {
  const std::string key = pod.key();
  Record* known = find(key);
  if (known != nullptr && known->uid == pod.uid) return *known;
  if (known != nullptr) forget(key);  // deleted and made anew while nobody looked
  records_.push_back({.key = key, .uid = pod.uid, .serial = next_serial_++});
  return records_.back();
}

Duration HollowPods::wait_before(PodAction action) const {
  switch (action) {
    case PodAction::None:
    case PodAction::Remove:
      return Duration{0};
    case PodAction::Start:
      return timing_->start;
    case PodAction::Repair:
      return timing_->sync;
    case PodAction::Finish:
      return timing_->termination;
  }
  std::abort();  // unreachable: the switch is exhaustive and -Wswitch is an error
}

}  // namespace nlc::sim

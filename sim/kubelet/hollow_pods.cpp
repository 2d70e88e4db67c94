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
PodDeed deed_for(const api::Pod& pod, bool started) {
  if (pod.finished) return pod.deleting ? PodDeed::Remove : PodDeed::None;
  if (pod.deleting) return PodDeed::Finish;
  if (!pod.ready) return PodDeed::Start;
  if (is_ready(pod)) return PodDeed::None;
  return started ? PodDeed::Repair : PodDeed::Start;
}

}  // namespace

void HollowPods::observe(const api::Pod& pod, Instant now) {
  Record& record = record_of(pod);
  record.running = is_ready(pod) && !pod.deleting && !pod.finished;
  if (record.running && !record.started) record.started = pod.ready->last_transition;
  const PodDeed deed = deed_for(pod, record.started.has_value());
  // A deed that waits already keeps its moment: other changes of the pod must not put it off.
  if (deed == record.deed) return;
  record.deed = deed;
  record.due = now + wait_before(deed);
}

void HollowPods::forget(std::string_view key) {
  std::erase_if(records_, [&](const Record& record) { return record.key == key; });
}

void HollowPods::restart(Instant now) {
  for (Record& record : records_) {
    const PodDeed lost = std::exchange(record.taken, PodDeed::None);
    if (record.deed == PodDeed::None) record.deed = lost;
    record.due = now + wait_before(record.deed);
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
    record.taken = std::exchange(record.deed, PodDeed::None);
    jobs.push_back({.deed = record.taken,
                    .key = record.key,
                    .uid = record.uid,
                    .serial = record.serial,
                    .started = *record.started});
  }
  return jobs;
}

void HollowPods::on_done(std::string_view key, bool accepted, Instant now) {
  Record* record = find(key);
  if (record == nullptr || record->taken == PodDeed::None) return;
  const PodDeed done = std::exchange(record->taken, PodDeed::None);
  if (accepted || record->deed != PodDeed::None) return;
  record->deed = done;
  record->due = now + timing_->sync;
}

std::size_t HollowPods::running() const {
  return static_cast<std::size_t>(std::ranges::count(records_, true, &Record::running));
}

bool HollowPods::is_waiting(const Record& record) {
  return record.deed != PodDeed::None && record.taken == PodDeed::None;
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

Duration HollowPods::wait_before(PodDeed deed) const {
  switch (deed) {
    case PodDeed::None:
    case PodDeed::Remove:
      return Duration{0};
    case PodDeed::Start:
      return timing_->start;
    case PodDeed::Repair:
      return timing_->sync;
    case PodDeed::Finish:
      return timing_->termination;
  }
  std::abort();  // unreachable: the switch is exhaustive and -Wswitch is an error
}

}  // namespace nlc::sim

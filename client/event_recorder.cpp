#include "client/event_recorder.h"

#include <absl/strings/str_cat.h>
#include <algorithm>
#include <utility>

#include "client/verbs.h"
#include "runtime/utf8.h"

namespace nlc::client {
namespace {

constexpr double allowance_burst = 25;
constexpr double allowance_per_second = 1.0 / 300;

// More is of use to nobody, and events are kept by the thousand.
constexpr std::size_t message_max = 1000;
constexpr std::string_view combined = "(combined from similar events): ";
constexpr std::size_t combined_from = 10;
constexpr Duration combined_within = std::chrono::seconds(600);

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text.append(part).push_back('\n');
  return text;
}

}  // namespace

EventRecorder::EventRecorder(Env env, std::string component)
    : env_(env), component_(std::move(component)) {}

/// In the order of client-go: aggregate, count, then throttle.
void EventRecorder::record(const EventSubject& subject, const EventText& text) {
  if (in_flight_ >= in_flight_limit) return env_.dropped.add();
  const Instant now = env_.clock.now();
  std::string key = joined({subject.kind, subject.api_version, subject.namespace_, subject.name,
                            subject.uid, text.type, text.reason});
  EventText told = text;
  told.message = shortened(told.message, message_max);
  if (is_one_of_many(key, told.message, now)) {
    told.message.insert(0, combined);
  } else {
    key += told.message;
  }
  const api::Event event = correlate(key, subject, told);
  if (!allowed(subject, text.type, now)) return env_.dropped.add();
  event.count == 1 ? create(event) : count(event);
}

bool EventRecorder::is_one_of_many(const std::string& group_key, const std::string& message,
                                   Instant now) {
  if (groups_.size() > remembered) groups_.clear();  // forgetting only combines less
  Group& group = groups_[group_key];
  if (now - group.last >= combined_within) group.messages.clear();
  group.last = now;
  group.messages.insert(message);
  if (group.messages.size() < combined_from) return false;
  group.messages.erase(group.messages.begin());
  return true;
}

/// The event of that key, counted once more; a new one with a count of 1.
api::Event& EventRecorder::correlate(const std::string& key, const EventSubject& subject,
                                     const EventText& text) {
  const WallTime now = env_.clock.wall_now();
  if (const auto known = known_.find(key); known != known_.end()) {
    recent_.splice(recent_.begin(), recent_, known->second);
    api::Event& event = known->second->event;
    ++event.count;
    event.last_seen = now;
    event.message = text.message;
    return event;
  }
  recent_.push_front(
      {.key = key,
       .event = {.namespace_ = subject.namespace_.empty() ? "default" : subject.namespace_,
                 .name = unique_name(subject.name, now),
                 .object_api_version = subject.api_version,
                 .object_kind = subject.kind,
                 .object_namespace = subject.namespace_,
                 .object_name = subject.name,
                 .object_uid = subject.uid,
                 .type = std::string(text.type),
                 .reason = std::string(text.reason),
                 .message = text.message,
                 .component = component_,
                 .first_seen = now,
                 .last_seen = now}});
  known_[recent_.front().key] = recent_.begin();
  if (recent_.size() > remembered) {
    known_.erase(recent_.back().key);
    recent_.pop_back();
  }
  return recent_.front().event;
}

bool EventRecorder::allowed(const EventSubject& subject, std::string_view type, Instant now) {
  if (allowances_.size() > remembered) allowances_.clear();  // forgetting only allows more
  const std::string key = joined(
      {subject.kind, subject.api_version, subject.namespace_, subject.name, subject.uid, type});
  Allowance& allowance =
      allowances_.try_emplace(key, Allowance{allowance_burst, now}).first->second;
  const double seconds = std::chrono::duration<double>(now - allowance.counted).count();
  allowance.tokens = std::min(allowance_burst, allowance.tokens + seconds * allowance_per_second);
  allowance.counted = now;
  if (allowance.tokens < 1) return false;
  allowance.tokens -= 1;
  return true;
}

void EventRecorder::count(const api::Event& event) {
  ++in_flight_;
  const auto counted = [this, event](Result<std::monostate> done) {
    --in_flight_;
    if (done) return;
    // Events live for an hour only: the one that was counted on is gone, so this one stands alone.
    if (done.error().fault == Fault::NotFound) return create(event);
    report(done.error());
  };
  count_event(env_.transport, event, answers_.guard(counted), env_.priority);
}

void EventRecorder::create(const api::Event& event) {
  ++in_flight_;
  const auto created = [this](Result<std::monostate> done) {
    --in_flight_;
    if (!done) report(done.error());
  };
  create_event(env_.transport, event, answers_.guard(created), env_.priority);
}

/// As other clients name them: the object and a point in time, in hexadecimal nanoseconds. Ours is
/// made unique by a counter below the microsecond.
std::string EventRecorder::unique_name(std::string_view object, WallTime now) {
  const auto nanoseconds =
      static_cast<std::uint64_t>(now.time_since_epoch().count()) * 1000 + named_++ % 1000;
  return std::string(object) + absl::StrCat(".", absl::Hex(nanoseconds));
}

void EventRecorder::report(const Error& error) {
  env_.dropped.add();
  env_.log.debug("event not delivered", {{"error", error.path}});
}

}  // namespace nlc::client

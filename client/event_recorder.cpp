#include "client/event_recorder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "client/verbs.h"

namespace nlc::client {
namespace {

constexpr double allowance_burst = 25;
constexpr double allowance_per_second = 1.0 / 300;

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text.append(part).push_back('\n');
  return text;
}

}  // namespace

EventRecorder::EventRecorder(World world, std::string component)
    : world_(world), component_(std::move(component)) {}

void EventRecorder::record(const EventSubject& subject, const EventText& text) {
  const WallTime now = world_.clock.wall_now();
  if (in_flight_ >= in_flight_limit || !allowed(subject, text.type, world_.clock.now())) {
    world_.dropped.add();
    return;
  }
  const std::string key = joined({subject.kind, subject.namespace_, subject.name, subject.uid,
                                  text.type, text.reason, text.message});
  const auto known = known_.find(key);
  if (known != known_.end()) {
    recent_.splice(recent_.begin(), recent_, known->second);
    return count(known->second->event, now);
  }
  create(key, {.namespace_ = subject.namespace_.empty() ? "default" : subject.namespace_,
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
               .last_seen = now});
}

bool EventRecorder::allowed(const EventSubject& subject, std::string_view type, Instant now) {
  if (allowances_.size() > remembered) allowances_.clear();  // forgetting only allows more
  const std::string key = joined({subject.kind, subject.namespace_, subject.name, type});
  Allowance& allowance =
      allowances_.try_emplace(key, Allowance{allowance_burst, now}).first->second;
  const double seconds = std::chrono::duration<double>(now - allowance.counted).count();
  allowance.tokens = std::min(allowance_burst, allowance.tokens + seconds * allowance_per_second);
  allowance.counted = now;
  if (allowance.tokens < 1) return false;
  allowance.tokens -= 1;
  return true;
}

void EventRecorder::count(api::Event& event, WallTime now) {
  ++event.count;
  event.last_seen = now;
  ++in_flight_;
  count_event(world_.transport, event, [this, event](Result<std::monostate> done) {
    --in_flight_;
    if (done) return;
    if (done.error().fault != Fault::NotFound) return report(done.error());
    // Events live for an hour only: the one that was counted on is gone, so this one stands alone.
    ++in_flight_;
    create_event(world_.transport, event, [this](Result<std::monostate> created) {
      --in_flight_;
      if (!created) report(created.error());
    });
  });
}

void EventRecorder::create(const std::string& key, api::Event event) {
  recent_.push_front({.key = key, .event = event});
  known_[key] = recent_.begin();
  if (recent_.size() > remembered) {
    known_.erase(recent_.back().key);
    recent_.pop_back();
  }
  ++in_flight_;
  create_event(world_.transport, event, [this](Result<std::monostate> created) {
    --in_flight_;
    if (!created) report(created.error());
  });
}

/// As other clients name them: the object and a point in time, in hexadecimal nanoseconds. Ours is
/// made unique by a counter below the microsecond.
std::string EventRecorder::unique_name(std::string_view object, WallTime now) {
  const auto nanoseconds =
      static_cast<std::uint64_t>(now.time_since_epoch().count()) * 1000 + named_++ % 1000;
  std::array<char, 16> hex{};
  const auto [end, error] = std::to_chars(hex.data(), hex.data() + hex.size(), nanoseconds, 16);
  (void)error;  // 16 digits hold any 64-bit number
  return std::string(object) + "." + std::string(hex.data(), end);
}

void EventRecorder::report(const Error& error) {
  world_.dropped.add();
  world_.log.debug("event not delivered", {{"error", error.path}});
}

}  // namespace nlc::client

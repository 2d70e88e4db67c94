#include "informer/watch_machine.h"

#include <algorithm>
#include <cassert>

#include "client/refusal.h"
#include "informer/version.h"

namespace nlc::informer {
namespace {

using api::EventType;

Fault fault_of_event(const api::Status& status) {
  if (status.code == 410 || status.reason == "Expired" || status.reason == "Gone") {
    return Fault::Gone;
  }
  return status.code == 429 ? Fault::Throttled : Fault::Unavailable;
}

/// A stream that lived for so long was no refusal, whatever ended it.
constexpr Duration short_life = std::chrono::seconds(5);

constexpr int page_failures_max = 5;

/// Shorter lives would only cost the server more openings.
WatchOptions with_long_lives(WatchOptions options) {
  options.watch_min = std::max<Duration>(options.watch_min, std::chrono::minutes(5));
  return options;
}

}  // namespace

WatchMachine::WatchMachine(WatchOptions options, Random random)
    : options_(with_long_lives(options)), random_(random), backoff_(options.backoff) {}

NextStep WatchMachine::start(Instant now) {
  reopen_refilled_ = now;
  return next_list(now);
}

NextStep WatchMachine::next_list(Instant now) {
  const bool may_stream =
      options_.stream_lists && (!no_streaming_until_ || now >= *no_streaming_until_);
  gathering_ = may_stream;
  page_version_.clear();
  page_token_.clear();
  if (!may_stream) return GetPage{.limit = options_.page_limit};
  stream_opened(now);
  return OpenWatch{.initial_events = true,
                   .timeout = random_.between(options_.watch_min, 2 * options_.watch_min)};
}

NextStep WatchMachine::resume(Instant now) {
  assert(!version_.empty());
  gathering_ = false;
  stream_opened(now);
  return OpenWatch{.resource_version = version_,
                   .timeout = random_.between(options_.watch_min, 2 * options_.watch_min)};
}

void WatchMachine::stream_opened(Instant now) {
  accepted_ = false;
  any_event_ = false;
  opened_ = now;
  last_progress_ = now;
}

/// What a stream proved is counted however it is left.
void WatchMachine::stream_left() {
  if (last_progress_ - opened_ >= options_.healthy_after) backoff_.reset();
  if (any_event_) fruitless_ = 0;
}

void WatchMachine::reach(std::string_view version) {
  if (version.empty()) return;
  version_ = version;
  if (older_version(newest_, version)) newest_ = version;
}

void WatchMachine::complete(std::string_view version) {
  if (older_version(version, newest_)) ++rewinds_;
  version_ = version;
  newest_ = version;
  synced_ = true;
}

WatchMachine::EventOutcome WatchMachine::on_event(EventType type, std::string_view version,
                                                  bool ends_initial_events,
                                                  const api::Status& status, Instant now) {
  last_progress_ = now;
  any_event_ = true;
  switch (type) {
    case EventType::Added:
    case EventType::Modified:
    case EventType::Deleted:
      if (gathering_) return {.use = ObjectUse::Gather};
      reach(version);
      return {.use = ObjectUse::Apply};
    case EventType::Bookmark:
      if (gathering_ && !ends_initial_events) return {};
      if (gathering_ && version.empty()) return {.then = list_by_pages("list_unversioned", now)};
      if (!gathering_) {
        reach(version);
        return {};
      }
      gathering_ = false;
      complete(version);
      return {.use = ObjectUse::Commit};
    case EventType::Error:
      return {.then = after_error_event(status, now)};
    case EventType::Malformed:
      return {};  // alarmed by the driver; the stream lives on
  }
  return {};
}

NextStep WatchMachine::after_error_event(const api::Status& status, Instant now) {
  stream_left();
  const Fault fault = fault_of_event(status);
  if (fault == Fault::Throttled) return after_backoff("throttled", now, status.retry_after);
  if (fault == Fault::Gone) return list_again("version_gone", now);
  if (gathering_) return list_by_pages("error_event", now);
  // An object that the server cannot read would end each stream that resumes before it.
  return list_again("error_event", now);
}

NextStep WatchMachine::on_end(const client::StreamEnd& end, Instant now) {
  stream_left();
  if (end.refused) {
    const Error error = client::refusal({}, *end.refused);
    return after_refusal(error.fault, error.retry_after, now);
  }
  // What closes or cuts the stream in the middle may do so each time: a server that cannot stream
  // lists (A3), or one to which they are too large (B8).
  if (gathering_ && (any_event_ || !end.broken)) {
    return list_by_pages("initial_events_unfinished", now);
  }
  const bool lived = accepted_ && !gathering_ && now - opened_ >= short_life;
  if ((lived || (any_event_ && !end.broken)) && budget_allows_reopening(now)) {
    last_reason_ = "closed";
    return resume(now);
  }
  return after_backoff(end.broken ? name_of(end.broken->fault) : "closed", now);
}

NextStep WatchMachine::after_refusal(Fault fault, std::optional<Duration> retry_after,
                                     Instant now) {
  switch (fault) {
    case Fault::Throttled:
    case Fault::Unauthorized:
    case Fault::Forbidden:
      return after_backoff(name_of(fault), now, retry_after);
    case Fault::Gone:
      return list_again("version_gone", now);
    case Fault::Invalid:
      if (!gathering_) return list_again(name_of(fault), now);
      no_streaming_until_ = now + options_.refusal_memory;  // an older server: pages, at once
      last_reason_ = "streaming_refused";
      return next_list(now);
    case Fault::NotFound:
    case Fault::TooLarge:
      if (!gathering_) return list_again(name_of(fault), now);
      [[fallthrough]];
    default:
      if (gathering_) return list_by_pages(name_of(fault), now, retry_after);
      return after_backoff(name_of(fault), now, retry_after);
  }
}

WatchMachine::PageOutcome WatchMachine::on_page(std::string_view version,
                                                std::string_view continue_token, Instant now) {
  if (page_version_.empty()) page_version_ = version;
  if (page_version_.empty()) {
    // Without a version there is nothing to watch from.
    return {.use = ObjectUse::Ignore, .then = after_backoff("list_unversioned", now)};
  }
  page_token_ = continue_token;
  page_failures_ = 0;
  if (!continue_token.empty()) {
    return {.then = GetPage{.continue_token = std::string(continue_token),
                            .limit = options_.page_limit}};
  }
  complete(page_version_);
  return {.use = ObjectUse::Commit, .then = resume(now)};
}

/// Of a page in the middle: a long list would else never be read while one request in a thousand
/// fails.
bool WatchMachine::may_ask_again(Fault fault) {
  const bool passing =
      fault == Fault::Throttled || fault == Fault::Unavailable || fault == Fault::Timeout;
  return passing && ++page_failures_ <= page_failures_max;
}

NextStep WatchMachine::on_page_failed(const Error& error, Instant now) {
  if (!may_ask_again(error.fault)) page_token_.clear();
  return after_backoff(name_of(error.fault), now, error.retry_after);
}

NextStep WatchMachine::on_probe(std::string_view version, Instant now) {
  if (older_version(version, version_)) return list_again("version_rewound", now);
  return resume(now);
}

NextStep WatchMachine::wake(Instant now) {
  if (!page_token_.empty()) {
    return GetPage{.continue_token = page_token_, .limit = options_.page_limit};
  }
  return version_.empty() ? next_list(now) : resume(now);
}

std::optional<NextStep> WatchMachine::hurry(Instant now) {
  if (now < not_before_ || !budget_allows_reopening(now)) return std::nullopt;
  return wake(now);
}

NextStep WatchMachine::list_anew(std::string_view reason, Instant now) {
  stream_left();
  version_.clear();
  page_token_.clear();
  gathering_ = false;
  last_reason_ = reason;
  if (now < not_before_) return WaitUntil{not_before_};
  return next_list(now);
}

std::optional<Instant> WatchMachine::patience_ends() const {
  return gathering_ ? opened_ + options_.initial_limit : last_progress_ + options_.progress_limit;
}

NextStep WatchMachine::give_up(Instant now) {
  stream_left();
  if (gathering_) return list_by_pages("initial_events_unfinished", now);
  // A quiet collection is silent too. But a watch opened ahead of a restored server stays silent
  // for ever, and so does each that resumes it (S10): after the second fruitless stream in a row
  // only a list can tell the two apart.
  ++fruitless_;
  if (fruitless_ < 2) {
    last_reason_ = "silent";
    return resume(now);
  }
  fruitless_ = 0;
  last_reason_ = "silent";
  return ProbeVersion{};
}

NextStep WatchMachine::list_again(std::string_view reason, Instant now) {
  version_.clear();
  // The server answers: an outage that made the waits long is over. Only one that says the same
  // again is waited for longer each time.
  if (reason != last_reason_) backoff_.reset();
  return after_backoff(reason, now);
}

NextStep WatchMachine::list_by_pages(std::string_view reason, Instant now,
                                     std::optional<Duration> floor) {
  no_streaming_until_ = now + options_.refusal_memory;
  return after_backoff(reason, now, floor);
}

NextStep WatchMachine::after_backoff(std::string_view reason, Instant now,
                                     std::optional<Duration> floor) {
  last_reason_ = reason;
  gathering_ = false;
  not_before_ = now + floor.value_or(Duration{0});
  return WaitUntil{now + backoff_.next(random_, floor.value_or(Duration{0}))};
}

/// One reopening a second, five at once: a server that cuts each stream after its first event must
/// not be flooded.
bool WatchMachine::budget_allows_reopening(Instant now) {
  const double seconds = std::chrono::duration<double>(now - reopen_refilled_).count();
  reopen_tokens_ = std::min(5.0, reopen_tokens_ + seconds);
  reopen_refilled_ = now;
  if (reopen_tokens_ < 1) return false;
  reopen_tokens_ -= 1;
  return true;
}

}  // namespace nlc::informer

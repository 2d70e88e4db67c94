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

Fault fault_of_end(const client::StreamEnd& end, std::optional<Duration>& retry_after) {
  if (end.refused) {
    const Error error = client::refusal({}, *end.refused);
    retry_after = error.retry_after;
    return error.fault;
  }
  return end.broken ? end.broken->fault : Fault::Unavailable;
}

}  // namespace

WatchMachine::WatchMachine(WatchOptions options, Random random)
    : options_(options), random_(random), backoff_(options.backoff) {}

NextStep WatchMachine::start(Instant now) {
  reopen_refilled_ = now;
  return next_list(now);
}

NextStep WatchMachine::next_list(Instant now) {
  const bool may_stream =
      options_.stream_lists && (!no_streaming_until_ || now >= *no_streaming_until_);
  gathering_ = may_stream;
  page_version_.clear();
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
  any_event_ = false;
  opened_ = now;
  last_progress_ = now;
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
      version_ = version;
      return {.use = ObjectUse::Apply};
    case EventType::Bookmark:
      if (gathering_ && !ends_initial_events) return {};
      if (!version.empty()) version_ = version;
      if (!gathering_) return {};
      gathering_ = false;
      synced_ = true;
      return {.use = ObjectUse::Commit};
    case EventType::Error: {
      const Fault fault = fault_of_event(status);
      if (fault == Fault::Gone) return {.then = list_again("version_gone", now)};
      if (gathering_) no_streaming_until_ = now + options_.refusal_memory;
      return {.then = after_backoff("error_event", now, status.retry_after)};
    }
    case EventType::Malformed:
      return {};  // alarmed by the driver; the stream lives on
  }
  return {};
}

NextStep WatchMachine::on_end(const client::StreamEnd& end, Instant now) {
  if (now - opened_ >= options_.healthy_after) backoff_.reset();
  if (any_event_) fruitless_ = 0;
  if (!end.refused && !end.broken) {
    if (gathering_) {
      // A server that closes instead of sending the marked bookmark cannot stream lists (A3).
      no_streaming_until_ = now + options_.refusal_memory;
      return after_backoff("initial_events_unfinished", now);
    }
    if (any_event_ && budget_allows_reopening(now)) {
      last_reason_ = "closed";
      return resume(now);
    }
    return after_backoff("closed", now);
  }
  std::optional<Duration> retry_after;
  const Fault fault = fault_of_end(end, retry_after);
  if (fault == Fault::Gone) return list_again("version_gone", now);
  if (fault == Fault::Invalid && gathering_) {
    no_streaming_until_ = now + options_.refusal_memory;  // an older server: list by pages instead
    last_reason_ = "streaming_refused";
    return next_list(now);
  }
  return after_backoff(name_of(fault), now, retry_after);
}

WatchMachine::PageOutcome WatchMachine::on_page(std::string_view version,
                                                std::string_view continue_token, Instant now) {
  if (page_version_.empty()) page_version_ = version;
  if (!continue_token.empty()) {
    return {.then = GetPage{.continue_token = std::string(continue_token),
                            .limit = options_.page_limit}};
  }
  version_ = page_version_;
  synced_ = true;
  backoff_.reset();
  return {.use = ObjectUse::Commit, .then = resume(now)};
}

NextStep WatchMachine::on_page_failed(const Error& error, Instant now) {
  return after_backoff(name_of(error.fault), now, error.retry_after);
}

NextStep WatchMachine::on_probe(std::string_view version, Instant now) {
  if (older_version(version, version_)) return list_again("version_rewound", now);
  return resume(now);
}

NextStep WatchMachine::wake(Instant now) { return version_.empty() ? next_list(now) : resume(now); }

std::optional<Instant> WatchMachine::patience_ends() const {
  return gathering_ ? opened_ + options_.initial_limit : last_progress_ + options_.progress_limit;
}

NextStep WatchMachine::give_up(Instant now) {
  if (gathering_) {
    no_streaming_until_ = now + options_.refusal_memory;
    return after_backoff("initial_events_unfinished", now);
  }
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
  return after_backoff(reason, now);
}

NextStep WatchMachine::after_backoff(std::string_view reason, Instant now,
                                     std::optional<Duration> floor) {
  last_reason_ = reason;
  gathering_ = false;
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

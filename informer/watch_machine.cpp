#include "informer/watch_machine.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "api/version.h"
#include "client/refusal.h"

namespace nlc::informer {
namespace {

using api::EventType;

Fault fault_of_event(const api::Status& status) {
  if (status.code == 410 || status.reason == "Expired" || status.reason == "Gone") {
    return Fault::Gone;
  }
  return status.code == 429 ? Fault::Throttled : Fault::Unavailable;
}

/// A stream that lasted longer was accepted in earnest, whatever ended it, and is resumed at once.
constexpr Duration short_life = std::chrono::seconds(5);

constexpr int page_failures_max = 5;

/// Rights that come late are there sooner.
constexpr Duration forbidden_max = std::chrono::seconds(30);
/// So many streams of a list are tried before its pages.
constexpr int refused_max = 3;

/// Whether such an answer to the first page of a list means that lists by pages will go on failing,
/// so that streaming the list is the better try.
bool refuses_pages(Fault fault) {
  return fault == Fault::Forbidden || fault == Fault::Throttled || fault == Fault::Invalid ||
         fault == Fault::NotFound || fault == Fault::TooLarge;
}

/// A shorter timeoutSeconds would only make the server accept more watches.
WatchOptions with_long_lives(WatchOptions options) {
  options.watch_min = std::max<Duration>(options.watch_min, std::chrono::minutes(5));
  return options;
}

}  // namespace

WatchMachine::WatchMachine(WatchOptions options, Random random)
    : options_(with_long_lives(options)), random_(random), pace_(options.backoff) {}

NextStep WatchMachine::start(Instant now) { return next_list(now); }

void WatchMachine::PageList::begin() {
  assert(token.empty());
  version.clear();
  pages.begin();
}

/// Asks again for the page that failed: if each failure began the list anew, a long list would
/// never be complete where one request in a thousand fails.
bool WatchMachine::PageList::may_ask_again(Fault fault) {
  const bool passing =
      fault == Fault::Throttled || fault == Fault::Unavailable || fault == Fault::Timeout;
  return passing && ++failures <= page_failures_max;
}

void WatchMachine::Stream::open(Instant now) {
  accepted = false;
  any_event = false;
  opened = now;
  last_progress = now;
}

bool WatchMachine::next_list_streams(Instant now) {
  if (std::exchange(pages_once_, false) || !options_.stream_lists) return false;
  return !pages_until_ || now >= *pages_until_;
}

NextStep WatchMachine::next_list(Instant now) {
  gathering_ = next_list_streams(now);
  page_list_.begin();
  pace_.asked_for_list(now);
  if (!gathering_) return GetPage{.limit = options_.page_limit};
  stream_.open(now);
  return OpenWatch{.initial_events = true, .timeout = watch_timeout()};
}

NextStep WatchMachine::resume(Instant now) {
  assert(!version().empty());
  gathering_ = false;
  pace_.asked(now);
  stream_.open(now);
  return OpenWatch{.resource_version = version(), .timeout = watch_timeout()};
}

/// Watches that were opened together do not all end together.
Duration WatchMachine::watch_timeout() {
  return random_.between(options_.watch_min, 2 * options_.watch_min);
}

void WatchMachine::accepted() {
  stream_.accepted = true;
  if (gathering_) pace_.list_served();
  forbidden_since_.reset();
  refused_in_a_row_ = 0;
}

/// Accounts for the stream that is being left, however it ended: whether it was healthy for long
/// enough to reset the back-offs, and whether it brought anything.
void WatchMachine::stream_left() {
  if (stream_.last_progress - stream_.opened >= options_.healthy_after) pace_.was_healthy();
  stream_.opened = stream_.last_progress;  // counted once
  if (stream_.any_event) stream_.fruitless = 0;
}

WatchMachine::EventOutcome WatchMachine::on_event(const StreamEvent& event, Instant now) {
  const EventType type = event.type;
  if (type == EventType::Error && stream_is_replaced()) return {};
  if (type != EventType::Malformed && type != EventType::Error) {
    stream_.last_progress = now;
    stream_.any_event = true;
  }
  if (gathering_) pace_.list_served();
  switch (type) {
    case EventType::Added:
    case EventType::Modified:
    case EventType::Deleted: {
      if (gathering_) return {.use = ObjectUse::Gather};
      const bool is_news = reached_.reach(event.version) || type == EventType::Deleted;
      return {.use = is_news ? ObjectUse::Apply : ObjectUse::Ignore};
    }
    case EventType::Bookmark:
      return on_bookmark(event, now);
    case EventType::Error:
      return {.then = after_error_event(event.status, now)};
    case EventType::Malformed:
      // Told by the driver; the stream lives on. It may be of an object of the list.
      return {.use = gathering_ ? ObjectUse::Gather : ObjectUse::Ignore};
  }
  return {};
}

WatchMachine::EventOutcome WatchMachine::on_bookmark(const StreamEvent& event, Instant now) {
  if (!gathering_) {
    reached_.reach(event.version);
    return {};
  }
  if (!event.ends_initial_events) return {};
  if (event.version.empty()) return {.then = list_by_pages({.reason = "list_unversioned"}, now)};
  gathering_ = false;
  reached_.listed(event.version);
  return {.use = ObjectUse::Commit};
}

NextStep WatchMachine::after_error_event(const api::Status& status, Instant now) {
  stream_left();
  const Fault fault = fault_of_event(status);
  const auto because = [&](std::string_view reason) {
    return WaitCause{.reason = reason, .fault = fault, .retry_after = status.retry_after};
  };
  if (fault == Fault::Throttled) return wait(because("throttled"), now);
  if (fault == Fault::Gone) return after_expired(status.retry_after, now);
  if (gathering_) return list_by_pages(because("error_event"), now);
  // An object that the server cannot read would end each stream that resumes before it.
  return list_again(because("error_event"), now);
}

NextStep WatchMachine::on_end(const client::StreamEnd& end, Instant now) {
  const bool lived = stream_.accepted && !gathering_ && now - stream_.opened >= short_life;
  stream_left();
  if (end.refused) return after_refusal(client::refusal({}, *end.refused), now);
  WaitCause cause{.reason = "closed"};
  if (end.broken) cause = {.reason = name_of(end.broken->fault), .fault = end.broken->fault};
  // What closes or cuts the stream in the middle may do so each time: a server that cannot stream
  // lists (spec/incidents.md "Unfinished initial events"), or one to which they are too large
  // (spec/incidents.md "Too many initial events").
  if (gathering_ && (stream_.accepted || stream_.any_event || !end.broken)) {
    cause.reason = "initial_events_unfinished";
    return list_by_pages(cause, now);
  }
  if ((lived || (stream_.any_event && !end.broken)) && pace_.may_reopen(now)) {
    last_reason_ = "closed";
    return resume(now);
  }
  return stream_again(cause, now);
}

NextStep WatchMachine::after_refusal(const Error& refusal, Instant now) {
  const Fault fault = refusal.fault;
  const WaitCause cause{
      .reason = name_of(fault), .fault = fault, .retry_after = refusal.retry_after};
  switch (fault) {
    case Fault::Throttled:
    case Fault::Unauthorized:
      return stream_again(cause, now);
    case Fault::Forbidden:  // Who may not watch may perhaps list.
      return gathering_ ? list_by_pages_once(cause, now) : after_forbidden(cause, now);
    case Fault::Gone:
      return after_expired(refusal.retry_after, now);
    case Fault::Invalid:
      if (!gathering_) return list_again(cause, now);
      pages_until_ = now + options_.refusal_memory;  // an older server: pages, at once
      last_reason_ = "streaming_refused";
      return next_list(now);
    case Fault::NotFound:
    case Fault::TooLarge:
      return gathering_ ? list_by_pages(cause, now) : list_again(cause, now);
    default:
      return gathering_ ? list_by_pages_once(cause, now) : wait(cause, now);
  }
}

/// What takes no stream may still give lists, and nobody is judged before the first.
NextStep WatchMachine::stream_again(const WaitCause& cause, Instant now) {
  const bool by_pages = gathering_ && ++refused_in_a_row_ % refused_max == 0;
  return by_pages ? list_by_pages_once(cause, now) : wait(cause, now);
}

/// The stream does not go on, and may never.
NextStep WatchMachine::after_forbidden(const WaitCause& cause, Instant now) {
  if (!forbidden_since_) forbidden_since_ = now;
  if (now - *forbidden_since_ < forbidden_max) return wait(cause, now);
  reached_.forget();
  return list_by_pages_once(cause, now);
}

NextStep WatchMachine::after_expired(std::optional<Duration> retry_after, Instant now) {
  const WaitCause cause{"version_gone", Fault::Gone, retry_after};
  if (gathering_) return stream_again(cause, now);
  ++expired_;
  return list_again(cause, now);
}

WatchMachine::PageOutcome WatchMachine::on_page(const client::ListedPage& page, Instant now) {
  pace_.list_served();
  if (page_list_.version.empty()) page_list_.version = page.version;
  const bool has_version = !page_list_.version.empty();
  if (!has_version || !page_list_.pages.go_on(page)) {
    page_list_.token.clear();
    const WaitCause cause{.reason = has_version ? "list_endless" : "list_unversioned"};
    return {.use = ObjectUse::Ignore, .then = wait(cause, now)};
  }
  page_list_.token = page.continue_token;
  page_list_.failures = 0;
  if (!page_list_.token.empty()) {
    return {.then = GetPage{.continue_token = page_list_.token, .limit = options_.page_limit}};
  }
  reached_.listed(page_list_.version);
  forbidden_since_.reset();
  return {.use = ObjectUse::Commit, .then = resume(now)};
}

NextStep WatchMachine::on_page_failed(const Error& error, Instant now) {
  if (next_is_list() && refuses_pages(error.fault)) pages_until_.reset();
  if (!page_list_.may_ask_again(error.fault)) page_list_.token.clear();
  // The server did the work of a list although we cannot read it: the back-off of lists applies.
  if (error.fault == Fault::Malformed) pace_.list_served();
  return wait({name_of(error.fault), error.fault, error.retry_after}, now);
}

NextStep WatchMachine::on_probe(std::string_view version, Instant now) {
  if (!version.empty() && api::older_version(version, reached_.version())) {
    return list_again({.reason = "version_rewound"}, now);
  }
  return resume(now);
}

NextStep WatchMachine::wake(Instant now) {
  if (next_is_list()) return next_list(now);
  if (page_list_.token.empty()) return resume(now);
  pace_.asked(now);
  return GetPage{.continue_token = page_list_.token, .limit = options_.page_limit};
}

std::optional<NextStep> WatchMachine::hurry(Instant now) {
  const std::optional<Instant> until = pace_.hurry(now);
  if (!until) return std::nullopt;
  return now >= *until ? wake(now) : WaitUntil{*until};
}

NextStep WatchMachine::list_anew(std::string_view reason, Instant now) {
  stream_left();
  const bool follows = stream_.accepted && !gathering_;
  reached_.forget();
  page_list_.token.clear();
  gathering_ = false;
  last_reason_ = reason;
  const Instant earliest = pace_.list_anew(random_);
  if (now >= earliest) return next_list(now);
  return WaitUntil{.until = earliest, .beside_stream = follows};
}

Instant WatchMachine::times_out_at() const {
  return gathering_ ? stream_.opened + options_.initial_limit
                    : stream_.last_progress + options_.progress_limit;
}

NextStep WatchMachine::give_up(Instant now) {
  stream_left();
  const WaitCause unfinished{.reason = "initial_events_unfinished"};
  if (gathering_) {
    const bool taken = stream_.accepted || stream_.any_event;
    return taken ? list_by_pages(unfinished, now) : list_by_pages_once(unfinished, now);
  }
  // A quiet collection is silent too. But a watch opened ahead of a restored server stays silent
  // for ever, and so does each that resumes it (spec/incidents.md "Restored etcd"): after the
  // second fruitless stream in a row only a list can tell the two apart.
  last_reason_ = "silent";
  if (++stream_.fruitless < 2) return resume(now);
  stream_.fruitless = 0;
  return ProbeVersion{};
}

NextStep WatchMachine::list_again(const WaitCause& cause, Instant now) {
  reached_.forget();
  return wait(cause, now);
}

NextStep WatchMachine::list_by_pages(const WaitCause& cause, Instant now) {
  pages_until_ = now + options_.refusal_memory;
  return wait(cause, now);
}

/// After a failure that may or may not be about streaming: the next list is read by pages, the one
/// after it is streamed again.
NextStep WatchMachine::list_by_pages_once(const WaitCause& cause, Instant now) {
  pages_once_ = true;
  return wait(cause, now);
}

NextStep WatchMachine::wait(const WaitCause& cause, Instant now) {
  last_reason_ = cause.reason;
  gathering_ = false;
  return WaitUntil{pace_.wait(cause, next_is_list(), random_, now)};
}

}  // namespace nlc::informer

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "api/decode.h"
#include "client/list_pages.h"
#include "client/transport.h"
#include "informer/reached_version.h"
#include "informer/request_pace.h"
#include "runtime/backoff.h"
#include "runtime/random.h"
#include "runtime/result.h"
#include "runtime/time.h"

namespace nlc::informer {

struct WatchOptions {
  bool stream_lists = true;  ///< begin with sendInitialEvents where the server can
  int page_limit = 500;      ///< objects
  /// The end of the initial events is waited for so long, then the list is read by pages.
  Duration initial_limit = std::chrono::seconds(30);
  /// Pages are used for so long after streaming failed.
  Duration refusal_memory = std::chrono::minutes(10);
  /// timeoutSeconds is drawn from [min, 2 min); at least 5 minutes.
  Duration watch_min = std::chrono::minutes(5);
  /// A stream that is silent for longer is opened anew.
  Duration progress_limit = std::chrono::seconds(90);
  /// A stream that made progress for so long resets the back-offs.
  Duration healthy_after = std::chrono::minutes(2);
  BackoffOptions backoff;
};

/// Open a watch. With `initial_events`, at the newest state and with its objects first.
struct OpenWatch {
  std::string resource_version;
  bool initial_events = false;
  Duration timeout{0};
};
/// Get a page of a list; the first one when there is no token.
struct GetPage {
  std::string continue_token;
  int limit = 500;
};
/// Get the version at which the collection stands: a page of one object, of which only the list's
/// version counts.
struct ProbeVersion {};
/// Do nothing until `until`, then call `wake`. Calling it earlier cuts the wait short.
struct WaitUntil {
  Instant until;
  /// The current stream goes on meanwhile. Should it end before the wait, the machine is not told.
  bool beside_stream = false;
};
/// What the driver has to do next; whatever else it was doing before (a stream, a page, a wait) it
/// stops.
using NextStep = std::variant<OpenWatch, GetPage, ProbeVersion, WaitUntil>;

/// What the machine has to know of an event of the current stream.
struct StreamEvent {
  api::EventType type;
  std::string_view version;          ///< also of a bookmark
  bool ends_initial_events = false;  ///< the bookmark that marks their end
  const api::Status& status;         ///< for Error
};

/// What becomes of the object of an event.
enum class ObjectUse {
  Ignore,  ///< nothing
  Gather,  ///< part of a list that is not complete yet
  Apply,   ///< a change of the store
  Commit,  ///< no object: what was gathered is complete and replaces the store
};

/// Keeps one collection current: lists it once, then follows the watch, and lists again only when
/// the server no longer has the history we would need (spec/list-watch.md).
///
/// Pure: it never sleeps, sends, or reads a clock. The driver feeds inputs in and performs the
/// steps that come back. What was gathered is thrown away by the driver whenever a step asks for a
/// new list.
///
/// A list is streamed, or read by pages: for `refusal_memory` after a stream that the server
/// refused as such or took and did not finish, and once after any other failure of the server, or
/// the third time in a row that it throttles a stream or does not let it begin.
/// Where it refuses the first page (missing rights, throttling, 4xx) the next list is streamed
/// again: no failure of the one way leads into a dead end of the other. Who may not go on with a
/// stream for half a minute lists by pages, and tries to go on from there: what changes is seen
/// late then, and not never.
///
/// A page that fails is asked for again before the list is begun anew, and a stream that was cut
/// after it had lived for a while (by a balancer that takes it for idle) is resumed at once.
///
/// Every way back to the server keeps to the pace (`RequestPace`). The end of the initial events is
/// waited for only so long (spec/incidents.md "Unfinished initial events"), pages that bring
/// nothing new are given up; a stream without progress is not believed to be quiet for ever
/// (spec/list-watch.md "Silent streams"), and what cannot be read is no progress. Invariant: the
/// version reached is empty exactly when the next thing needed is a list.
class WatchMachine {
 public:
  WatchMachine(WatchOptions options, Random random);

  NextStep start(Instant now);

  /// The server accepted the current watch.
  void accepted();

  /// `then` is set when the stream has to be left.
  struct EventOutcome {
    ObjectUse use = ObjectUse::Ignore;
    std::optional<NextStep> then;
  };
  EventOutcome on_event(const StreamEvent& event, Instant now);

  NextStep on_end(const client::StreamEnd& end, Instant now);
  /// `Commit` on the last. `Ignore` gives the list up: without a version there is nothing to watch
  /// from, and pages that bring what came before would go on for ever.
  struct PageOutcome {
    ObjectUse use = ObjectUse::Gather;
    NextStep then;
  };
  PageOutcome on_page(const client::ListedPage& page, Instant now);
  NextStep on_page_failed(const Error& error, Instant now);  ///< also of a probe
  NextStep on_probe(std::string_view version, Instant now);
  NextStep wake(Instant now);

  /// While waiting: the server has just answered somebody else. What to do instead of the wait (it
  /// may be a shorter wait); nothing: the wait goes on as before (`RequestPace::hurry`).
  std::optional<NextStep> hurry(Instant now);

  /// The stream cannot be trusted: relist, whatever is going on (`RequestPace::list_anew`). Where
  /// the list has to wait the stream goes on beside: a heartbeat that comes meanwhile may be lost
  /// before the list is answered, if the server is restored.
  NextStep list_anew(std::string_view reason, Instant now);

  /// When the current stream is to be given up if nothing comes until then; `give_up` says what
  /// follows.
  Instant times_out_at() const;
  NextStep give_up(Instant now);

  bool synced() const { return reached_.was_listed(); }
  const std::string& version() const { return reached_.version(); }
  /// How often a list was older than what had been seen before it: the server went back in time.
  std::uint64_t rewinds() const { return reached_.rewinds(); }
  /// How often the server had no more of the history that a stream was to go on with.
  std::uint64_t expired() const { return expired_; }
  /// Why the last stream or list was left; for logs and metrics.
  std::string_view last_reason() const { return last_reason_; }

 private:
  bool next_list_streams(Instant now);
  bool next_is_list() const { return version().empty() && page_list_.token.empty(); }
  bool stream_is_replaced() const { return !gathering_ && next_is_list(); }
  NextStep next_list(Instant now);
  NextStep resume(Instant now);
  Duration watch_timeout();
  EventOutcome on_bookmark(const StreamEvent& event, Instant now);
  NextStep after_error_event(const api::Status& status, Instant now);
  NextStep after_expired(std::optional<Duration> retry_after, Instant now);
  NextStep after_refusal(const Error& refusal, Instant now);
  NextStep stream_again(const WaitCause& cause, Instant now);
  NextStep after_forbidden(const WaitCause& cause, Instant now);
  NextStep wait(const WaitCause& cause, Instant now);
  NextStep list_again(const WaitCause& cause, Instant now);
  NextStep list_by_pages(const WaitCause& cause, Instant now);
  NextStep list_by_pages_once(const WaitCause& cause, Instant now);
  void stream_left();

  /// The list that is being read page by page.
  struct PageList {
    std::string version;
    std::string token;  ///< of the page that was asked for; empty: the first, or none
    int failures = 0;   ///< of that page
    client::ListPages pages;

    void begin();
    bool may_ask_again(Fault fault);
  };
  /// The current stream.
  struct Stream {
    bool accepted = false;
    bool any_event = false;
    Instant opened;
    Instant last_progress;
    int fruitless = 0;  ///< streams in a row that were given up for silence

    void open(Instant now);
  };

  const WatchOptions options_;
  Random random_;
  RequestPace pace_;
  ReachedVersion reached_;
  std::optional<Instant> pages_until_;      ///< a list could not be streamed
  bool pages_once_ = false;                 ///< or that may have been so
  int refused_in_a_row_ = 0;                ///< streams of a list that the server did not begin
  std::optional<Instant> forbidden_since_;  ///< a stream may not go on; none was accepted since
  PageList page_list_;
  Stream stream_;
  bool gathering_ = false;  ///< initial events are coming in
  std::uint64_t expired_ = 0;
  std::string_view last_reason_ = "start";
};

}  // namespace nlc::informer

#pragma once

#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "informer/watch_machine.h"
#include "tests/next_step.h"

/// Words for the tests of the watch machine: what a server does to it, and what it wants to do
/// next.
namespace nlc::informer::testing {

using namespace std::chrono_literals;

inline constexpr Instant start = Instant{} + 1000h;

inline client::StreamEnd closed() { return {}; }
inline client::StreamEnd broken(Fault fault = Fault::Unavailable) {
  return {.refused = {}, .broken = Error{.fault = fault, .path = "connection refused"}};
}
inline client::StreamEnd refused(int status, std::optional<Duration> retry_after = {}) {
  return {.refused = client::Response{.status = status, .retry_after = retry_after}, .broken = {}};
}
inline Error failed(Fault fault, std::optional<Duration> retry_after = {}) {
  return {.fault = fault, .path = "list", .retry_after = retry_after};
}

/// One collection and the server it is watched on. `now` moves only where a test says so.
struct Watching : tests::WantedStep<NextStep> {
  explicit Watching(WatchOptions options = {}, std::uint64_t seed = 1)
      : machine(options, Random(seed)) {
    next = machine.start(now);
  }

  bool streams_a_list() const { return would<OpenWatch>() && wants<OpenWatch>().initial_events; }
  bool resumes_at(std::string_view version) const {
    return would<OpenWatch>() && !wants<OpenWatch>().initial_events &&
           wants<OpenWatch>().resource_version == version;
  }
  bool lists_by_pages() const {
    return would<GetPage>() && wants<GetPage>().continue_token.empty();
  }

  ObjectUse event(api::EventType type, std::string_view version, bool marked = false,
                  api::Status status = {}) {
    auto outcome = machine.on_event(
        {.type = type, .version = version, .ends_initial_events = marked, .status = status}, now);
    if (outcome.then) next = std::move(*outcome.then);
    return outcome.use;
  }
  ObjectUse added(std::string_view version) { return event(api::EventType::Added, version); }
  ObjectUse marked_bookmark(std::string_view version) {
    return event(api::EventType::Bookmark, version, true);
  }
  ObjectUse error(int code, std::string reason, std::optional<Duration> retry_after = {}) {
    return event(api::EventType::Error, "", false,
                 {.code = code, .reason = std::move(reason), .retry_after = retry_after});
  }
  void end(const client::StreamEnd& how) { next = machine.on_end(how, now); }
  /// A page of one object, which no page before it had.
  ObjectUse page(std::string_view version, std::string_view token = "") {
    const std::string key = "object-" + std::to_string(++pages);
    return page({.version = version, .continue_token = token, .objects = 1, .first_key = key});
  }
  ObjectUse page(const client::ListedPage& seen) {
    auto outcome = machine.on_page(seen, now);
    next = std::move(outcome.then);
    return outcome.use;
  }
  /// Somebody found that the collection cannot be what the server has.
  void list_anew() { next = machine.list_anew("stalled", now); }
  void page_fails(const Error& error) { next = machine.on_page_failed(error, now); }

  /// Waits as the machine asks; how long that was.
  Duration wait() {
    const Duration waited = wants<WaitUntil>().until - now;
    now = wants<WaitUntil>().until;
    next = machine.wake(now);
    return waited;
  }
  /// The server is heard elsewhere while the machine waits; what that changes is done.
  void hurry() {
    if (!would<WaitUntil>()) return;
    if (auto hurried = machine.hurry(now)) next = std::move(*hurried);
  }
  /// The server is heard elsewhere every so often, for so long or until the machine asks again; how
  /// long that was.
  Duration wait_hurried(Duration every, Duration span = 1min) {
    const Instant began = now;
    while (would<WaitUntil>() && now < began + span) {
      hurry();
      if (!would<WaitUntil>()) break;
      const Instant until = wants<WaitUntil>().until;
      if (until <= now + every) {
        wait();
      } else {
        now += every;
      }
    }
    return now - began;
  }
  /// Nothing comes until the machine's time-out has ended.
  Duration silence() {
    const Duration waited = machine.times_out_at() - now;
    now = machine.times_out_at();
    next = machine.give_up(now);
    return waited;
  }

  /// A list has been streamed and its stream goes on.
  void sync_at(std::string_view version) {
    EXPECT_EQ(marked_bookmark(version), ObjectUse::Commit);
    EXPECT_TRUE(machine.synced());
  }

  int pages = 0;
  Instant now = start;
  WatchMachine machine;
};

}  // namespace nlc::informer::testing

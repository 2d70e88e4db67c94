#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "client/streams/arrival.h"
#include "client/streams/watch_reader.h"
#include "client/verbs.h"
#include "informer/listed_objects.h"
#include "informer/reflector_state.h"
#include "informer/store.h"
#include "informer/watch_log.h"
#include "informer/watch_machine.h"
#include "informer/watch_query.h"
#include "metrics/metrics.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/log.h"

namespace nlc::informer {

/// What a reflector needs of the world.
struct ReflectorEnv {
  client::Transport& transport;
  const Clock& clock;
  Executor& executor;
  Log& log;
  std::uint64_t seed = 0;
  metrics::Metrics* metrics = nullptr;  ///< without it nothing is counted
  std::string_view resource;            ///< as metrics name it: "nodes", "pods", "leases"
  std::string collection = {};          ///< where it stands; empty: all of T
  std::string field_selector = {};      ///< of those only these; empty: all
  /// How long the events of a busy watch may wait in the kernel, to be read together. That delays
  /// no verdict wrongly: before a node is judged its lease is read from the server, and an event
  /// counts from when it arrived, not from when it was read (`client::arrival`).
  Duration batching = std::chrono::seconds(1);
};

/// Drives a WatchMachine for resource T and writes what it learns into a Store.
///
/// An object that cannot be read stays in the store as it was last readable, for as long as the
/// server has it. Trouble is told when it begins, once a minute while it lasts, and when it is
/// over.
///
/// Everything happens on the executor's thread; streams are decoded on the transport's. It runs
/// from construction to destruction, and never gives up.
template <typename T>
class Reflector final : private client::WatchListener<T> {
 public:
  Reflector(ReflectorEnv env, Store<T>& store, WatchOptions options)
      : env_(env),
        store_(store),
        list_(store.texts()),
        machine_(options, Random(env.seed)),
        log_(env.log, T::kind()) {
    state_.last_progress = state_.last_change = env_.clock.now();
    if (env_.metrics != nullptr) series_ = env_.metrics->resource(env_.resource);
    perform(machine_.start(env_.clock.now()));
  }

  const ReflectorState& state() const { return state_; }

  /// How much is held and how long nothing was heard, as of now.
  void publish_gauges() const {
    series_.objects.set(static_cast<double>(store_.size()));
    series_.seconds_since_progress.set(
        std::chrono::duration<double>(env_.clock.now() - state_.last_progress).count());
  }

  /// The server has just answered somebody else: cuts the current back-off short, to now or to two
  /// seconds after the last try (`RequestPace::hurry` says which waits are never cut short).
  /// Cheap, so call it at every sign that the server is back.
  void hurry() {
    if (!waiting_) return;
    if (auto next = machine_.hurry(env_.clock.now())) perform(std::move(*next));
  }

  /// How far the stream has come; empty before a list is complete.
  const std::string& version() const { return machine_.version(); }
  /// How often a list showed that the server went back in time: older than what was seen before it,
  /// or with older objects in it.
  std::uint64_t rewinds() const { return machine_.rewinds() + contradicting_lists_; }

  /// How often the server had no more of the history that the watch was to go on with, or was not
  /// asked for it after a gap.
  std::uint64_t expired() const { return machine_.expired() + state_.not_resumed; }

  /// Relists, because the caller knows that what the watch shows cannot be trusted. The store keeps
  /// its objects until the new list is complete; while that may not begin yet, the stream goes on
  /// changing them.
  void list_anew(std::string_view reason) {
    NextStep next = machine_.list_anew(reason, env_.clock.now());
    report_restart("");
    perform(std::move(next));
  }

  /// Relists, for the server may have gone back in time. If so it may have given versions that were
  /// seen to other states since, so whatever is listed counts, also in a version that the store
  /// has.
  void server_may_have_gone_back() {
    may_have_gone_back_ = true;
    list_anew("version_rewound");
  }

 private:
  void perform(NextStep step) {
    const auto* wait = std::get_if<WaitUntil>(&step);
    if (wait == nullptr || !wait->beside_stream) stream_.end();
    wait_.end();
    answers_.restart();
    silence_.end();
    waiting_ = false;
    if (std::exchange(state_.streaming, false)) {
      state_.left = env_.clock.now();
      state_.lists_when_left = state_.lists;
    }
    std::visit([this](const auto& next) { this->begin(next); }, step);
  }

  void begin(const OpenWatch& next) {
    if (next.initial_events) begin_list();
    client::WatchListener<T>& listener = *this;  // a private base: nobody else may see it
    stream_ = env_.transport.watch({.target = target() + watch_query(next, env_.field_selector),
                                    .accept = std::string(api::accepted_encodings),
                                    .batching = env_.batching},
                                   std::make_unique<client::WatchReader<T>>(listener));
    watch_silence();
  }

  void begin(const GetPage& next) {
    if (next.continue_token.empty()) begin_list();
    request_page({.continue_token = next.continue_token, .limit = next.limit},
                 [this](Result<api::ListPage<T>> page) { on_page(std::move(page)); });
  }

  void begin_list() {
    malformed_listed_ = false;
    list_.clear();
  }

  void begin(const ProbeVersion&) {
    request_page({.limit = 1}, [this](Result<api::ListPage<T>> page) {
      const Instant now = env_.clock.now();
      if (!page) return perform(machine_.on_page_failed(page.error(), now));
      perform(machine_.on_probe(page->resource_version, now));
    });
  }

  /// The answer is heard only while the page is what the reflector is doing.
  void request_page(const client::PageQuery& query, client::Done<api::ListPage<T>> done) {
    client::PageQuery selected = query;
    selected.field_selector = env_.field_selector;
    client::get_page<T>(env_.transport, target(), selected, answers_.guard(std::move(done)));
  }

  void begin(const WaitUntil& next) {
    waiting_ = true;
    wait_ = env_.executor.run_at(next.until, [this] { perform(machine_.wake(env_.clock.now())); });
  }

  void on_open() override {
    machine_.accepted();
    state_.streaming = true;
    report_well();
    const Instant now = state_.last_progress = env_.clock.now();
    const bool broke_off = std::exchange(state_.broke_off, false);
    const std::optional<Instant> left = std::exchange(state_.left, std::nullopt);
    if (!is_gap(left, broke_off, now)) return;
    state_.gap_ended = now;
    const bool follows_a_list = machine_.version().empty() || state_.lists > state_.lists_when_left;
    if (follows_a_list) ++state_.not_resumed;
  }

  void on_events(std::span<api::WatchEvent<T>> batch, std::optional<Instant> since) override {
    series_.events.add(static_cast<double>(take(batch, since)));
  }

  /// How many were taken: one that ends the watch is the last.
  std::size_t take(std::span<api::WatchEvent<T>> batch, std::optional<Instant> since) {
    const Instant now = env_.clock.now();
    std::size_t place = 0;
    for (api::WatchEvent<T>& event : batch) {
      const Instant came = client::arrival(since.value_or(now), now, place++, batch.size());
      if (event.type == api::EventType::Malformed) {
        report_malformed(event.object.name.empty() ? "event" : "object", event.problem);
      } else {
        state_.last_progress = now;
      }
      auto outcome = machine_.on_event({.type = event.type,
                                        .version = event.resource_version,
                                        .ends_initial_events = event.ends_initial_events,
                                        .status = event.status},
                                       now);
      use(outcome.use, event, came);
      if (!outcome.then) continue;
      report_restart(words_of(event.status));
      perform(std::move(*outcome.then));
      return place;
    }
    log_.readable_events(now);
    return place;
  }

  void on_end(client::StreamEnd end) override {
    if (end.broken) note_break();
    if (waiting_) return stream_.end();  // a list takes its place
    std::string trouble = "closed by the server";
    std::optional<Error> error = end.broken;
    if (end.refused && !error) error = client::refusal({.target = target()}, *end.refused);
    if (error) trouble = error->path;
    const NextStep next = machine_.on_end(end, env_.clock.now());
    const bool waits = std::holds_alternative<WaitUntil>(next);
    report_restart(waits ? trouble : "", error ? std::optional(error->fault) : std::nullopt);
    perform(next);
  }

  /// The server may have been restored, also where the last watch had been ended in order before.
  void note_break() {
    state_.broke_off = state_.streaming || state_.left;
    ++state_.breaks;
  }

  void on_page(Result<api::ListPage<T>> page) {
    const Instant now = env_.clock.now();
    if (!page) {
      if (page.error().fault == Fault::Unavailable) note_break();
      NextStep next = machine_.on_page_failed(page.error(), now);
      report_restart(page.error().path, page.error().fault);
      return perform(std::move(next));
    }
    state_.last_progress = now;
    for (const T& object : page->items) list_.add(object);
    for (const api::MalformedItem& item : page->malformed) {
      report_malformed(item.key.empty() ? "item" : "object", item.problem);
      keep(item.key);
    }
    auto outcome = machine_.on_page({.version = page->resource_version,
                                     .continue_token = page->continue_token,
                                     .objects = page->items.size() + page->malformed.size(),
                                     .first_key = client::first_key(*page)},
                                    now);
    if (outcome.use == ObjectUse::Commit) commit(std::nullopt);
    if (outcome.use == ObjectUse::Ignore) {
      begin_list();
      report_restart("the pages of the list bring nothing new, or no version");
    }
    perform(std::move(outcome.then));
  }

  void use(ObjectUse use, const api::WatchEvent<T>& event, Instant came) {
    switch (use) {
      case ObjectUse::Ignore:
        return;
      case ObjectUse::Gather:
        return gather(event);
      case ObjectUse::Commit:
        return commit(came);
      case ObjectUse::Apply:
        if (!waiting_) note_change();
        if (event.type == api::EventType::Deleted) return store_.apply_deletion(event.object);
        return store_.apply(event.object, came);
    }
  }

  /// A stream that is distrusted shows nothing by them.
  void note_change() {
    ++state_.applied;
    state_.last_change = state_.last_progress;
  }

  /// Initial events are all Added, but changes of other objects may come between them.
  void gather(const api::WatchEvent<T>& event) {
    if (event.type == api::EventType::Malformed) {
      malformed_listed_ = true;
      if (!event.tells_of_object) return;
      return keep(event.object.name.empty() ? std::string() : std::string(event.object.key()));
    }
    if (event.type == api::EventType::Deleted) return list_.remove(event.object);
    list_.add(event.object);
  }

  /// For an object of the list that could not be read; `key` is empty if not even that could.
  void keep(const std::string& key) {
    malformed_listed_ = true;
    key.empty() ? list_.keep_missing() : list_.keep(key);
  }

  void commit(std::optional<Instant> came) {
    state_.synced = true;
    ++state_.lists;
    state_.last_change = state_.last_progress;
    state_.restarts_at_list = state_.restarts;
    state_.breaks_at_list = state_.breaks;
    report_well();
    if (!malformed_listed_) log_.readable_list(env_.clock.now());
    const std::size_t contradictions = store_.take_over(
        list_, {.version = machine_.version(),
                .rewound = may_have_gone_back_ || machine_.rewinds() != rewinds_told_,
                .came = came});
    may_have_gone_back_ = false;
    rewinds_told_ = machine_.rewinds();
    if (contradictions > 0) ++contradicting_lists_;
  }

  /// Sets a timer for when the stream would have been silent for too long. Progress moves that
  /// deadline, so when the timer fires it is set again unless the deadline has really passed.
  void watch_silence() {
    silence_ = env_.executor.run_at(machine_.times_out_at(), [this] {
      const Instant now = env_.clock.now();
      if (now < machine_.times_out_at()) return watch_silence();
      NextStep next = machine_.give_up(now);
      // A quiet collection looks like a dead stream, so a silent stream alone is not logged.
      report_restart(std::holds_alternative<WaitUntil>(next) ? "no end of the initial events" : "");
      perform(std::move(next));
    });
  }

  /// Why a stream is left for an event of it: an error's words, where there are any.
  static std::string_view words_of(const api::Status& status) {
    if (!status.message.empty()) return status.message;
    if (!status.reason.empty()) return status.reason;
    return "an event that ends the stream";
  }

  std::string target() const {
    return env_.collection.empty() ? std::string(client::collection_of<T>()) : env_.collection;
  }

  /// `trouble` is empty where a stream is left as it should be.
  void report_restart(std::string_view trouble, std::optional<Fault> fault = std::nullopt) {
    ++state_.restarts;
    if (env_.metrics != nullptr) {
      env_.metrics->watch_restarts(env_.resource, machine_.last_reason()).add();
    }
    if (trouble.empty()) return;
    state_.trouble = beginning_of(trouble);
    state_.fault = fault;
    log_.interrupted(machine_.last_reason(), state_.trouble, env_.clock.now());
  }

  void report_well() {
    state_.trouble.clear();
    state_.fault.reset();
    log_.resumed(env_.clock.now());
  }

  void report_malformed(std::string_view part, std::string_view problem) {
    ++state_.malformed;
    series_.malformed.add();
    log_.unreadable(part, problem, env_.clock.now());
  }

  ReflectorEnv env_;
  Store<T>& store_;
  ListedObjects<T> list_;  ///< that is being read
  WatchMachine machine_;
  ReflectorState state_;
  metrics::ResourceMetrics series_;  ///< counts for nobody without metrics
  WatchLog log_;
  bool malformed_listed_ = false;    ///< in the list that is being read
  std::uint64_t rewinds_told_ = 0;   ///< to the store
  bool may_have_gone_back_ = false;  ///< the server, since the last list
  std::uint64_t contradicting_lists_ = 0;
  bool waiting_ = false;
  Timer silence_;
  Timer wait_;
  Subscription stream_;    ///< goes on beside the wait for a list that takes its place
  CallbackScope answers_;  ///< of the page in hand
};

}  // namespace nlc::informer

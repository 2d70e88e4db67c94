#include "election/lock/lock_watch.h"

#include <algorithm>
#include <utility>

#include "api/version.h"
#include "client/refusal.h"
#include "client/resources.h"

namespace nlc::election {
namespace {

constexpr BackoffOptions backoff_options{.backoff_min = std::chrono::milliseconds(500),
                                         .backoff_max = std::chrono::seconds(30)};
/// Where a watch is not allowed, asking again is of little use, but rights may be given.
constexpr Duration forbidden_pause = std::chrono::minutes(5);
constexpr Duration lifetime_min = std::chrono::minutes(5);

/// An object is below 3 MiB; what is longer is none.
constexpr std::size_t line_limit = std::size_t{4} << 20U;

}  // namespace

/// Cuts the stream into lines and decodes them, on the transport's thread.
class LockWatch::Reader final : public client::StreamReader {
 public:
  explicit Reader(LockWatch& watch) : watch_(watch), place_(watch.place_) {}

  void on_bytes(std::string_view bytes) override {
    rest_ += bytes;
    std::size_t begin = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos;
         end = rest_.find('\n', begin)) {
      const std::string_view line = std::string_view(rest_).substr(begin, end - begin);
      if (auto change = decode_lock_change(place_, line)) seen_.push_back(std::move(*change));
      begin = end + 1;
    }
    rest_.erase(0, begin);
    if (rest_.size() > line_limit) {
      rest_.clear();
      seen_.push_back({.ended = true});
    }
  }

  std::size_t events() const override { return seen_.size(); }
  std::function<void()> take(std::optional<Instant>) override {
    if (seen_.empty()) return nullptr;
    return [&watch = watch_, seen = std::exchange(seen_, {})] { watch.arrived(seen); };
  }

  void on_open(std::optional<WallTime> /*date*/) override { watch_.complained_ = false; }
  void on_end(client::StreamEnd end) override { watch_.ended(end); }

 private:
  LockWatch& watch_;
  const LockPlace place_;
  std::string rest_;
  std::vector<LockChange> seen_;
};

LockWatch::LockWatch(Env env, LockPlace place, Listener listener)
    : env_(env),
      place_(std::move(place)),
      listener_(std::move(listener)),
      random_(env.seed),
      backoff_(backoff_options) {}

void LockWatch::known_at(const std::string& version) {
  const bool missed = state_ == State::Open && api::older_version(shown_, expected_);
  expected_ = version;
  if (api::older_version(version_, version)) version_ = version;
  if (missed || state_ == State::Idle || state_ == State::Lost) open();
}

void LockWatch::gone_back_to(const std::string& version) {
  version_ = version;
  history_lost_ = true;
  open();
}

void LockWatch::open() {
  again_.end();
  state_ = State::Open;
  expected_ = shown_ = version_;
  const Duration lifetime = random_.between(lifetime_min, 2 * lifetime_min);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(lifetime).count();
  const std::string from = history_lost_ ? "" : "&resourceVersion=" + client::escaped(version_);
  client::Request request{.target = collection_path(place_) + "?watch=true&fieldSelector=" +
                                    client::escaped("metadata.name=" + place_.name) + from +
                                    "&timeoutSeconds=" + std::to_string(seconds),
                          .priority = client::RequestPriority::Election};
  stream_ = env_.transport.watch(std::move(request), std::make_unique<Reader>(*this));
}

/// What was shown before the end of the stream counts all the same.
void LockWatch::arrived(const std::vector<LockChange>& changes) {
  const auto end = std::ranges::find_if(changes, &LockChange::ended);
  std::for_each(changes.begin(), end, [this](const LockChange& change) { note(change); });
  if (end != changes.end()) {
    history_lost_ = true;
    ended({});
  }
  // A copy: who is told may end this watch.
  const Listener listener = listener_;
  std::for_each(changes.begin(), end, [&listener](const LockChange& change) {
    if (change.foreign.empty()) listener(change);
  });
}

void LockWatch::note(const LockChange& change) {
  if (!change.foreign.empty()) {
    if (std::exchange(told_foreign_, true)) return;
    return env_.log.warning("the watch of a lock showed something else",
                            {{"lease", place_.name}, {"shown", change.foreign}});
  }
  backoff_.reset();
  history_lost_ = false;
  const std::string& version = change.object.record.version;
  if (api::older_version(shown_, version)) shown_ = version;
  if (api::older_version(version_, version)) version_ = version;
}

void LockWatch::ended(const client::StreamEnd& end) {
  stream_.end();
  if (!end.refused) return open_later(State::Lost, {});
  const Error refusal = client::refusal({.target = collection_path(place_)}, *end.refused);
  if (refusal.fault == Fault::Gone) history_lost_ = true;
  if (refusal.fault == Fault::Gone || refusal.fault == Fault::TooLarge) {
    return open_later(State::Refused, {});
  }
  if (!std::exchange(complained_, true)) {
    env_.log.warning("the lock cannot be watched, it is polled",
                     {{"lease", place_.name}, {"error", refusal.path}});
  }
  const bool may_not = refusal.fault == Fault::Forbidden || refusal.fault == Fault::Invalid;
  open_later(State::Refused, may_not ? forbidden_pause : refusal.retry_after.value_or(Duration{0}));
}

void LockWatch::open_later(State meanwhile, Duration floor) {
  state_ = meanwhile;
  again_ = env_.executor.run_at(env_.clock.now() + backoff_.next(random_, floor), [this] {
    state_ = State::Idle;
    open();
  });
}

}  // namespace nlc::election

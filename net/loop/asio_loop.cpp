#include "net/loop/asio_loop.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cassert>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace nlc::net {

namespace asio = boost::asio;

namespace {

// Asio's clock stands still while the machine is suspended.
constexpr Duration look_period = std::chrono::seconds(1);

}  // namespace

/// The timers that are set, in the order in which they are due, behind one timer of Asio.
struct AsioLoop::Agenda : std::enable_shared_from_this<Agenda> {
  using Key = std::pair<Instant, std::uint64_t>;

  Agenda(const Clock& time, asio::io_context& context)
      : clock(time), guard(context.get_executor()), wake_timer(context) {}

  Key add(Instant when, std::function<void()> work) {
    const Key key{when, next_number++};
    entries.emplace(key, std::move(work));
    if (!running_due) arm();
    return key;
  }

  /// Setting Asio's timer costs two system calls, so one that fires early enough is left alone,
  /// even if what it was set for has been cancelled: it then wakes up once for nothing. What is due
  /// already needs none.
  void arm() {
    if (entries.empty()) return;
    const Instant now = clock.now();
    if (entries.begin()->first.first <= now) return run_due_soon();
    const Instant wake = std::min<Instant>(entries.begin()->first.first, now + look_period);
    if (armed_for && *armed_for <= wake) return;
    armed_for = wake;
    wake_timer.expires_after(wake - now);
    // On a borrowed context the wait may end after the agenda has.
    wake_timer.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
      const std::shared_ptr<Agenda> living = weak.lock();
      if (error || !living) return;  // armed anew for an earlier moment, or the loop is going
      living->armed_for.reset();
      living->run_due();
    });
  }

  void run_due_soon() {
    if (std::exchange(due_posted, true)) return;
    asio::post(guard.get_executor(), [weak = weak_from_this()] {
      const std::shared_ptr<Agenda> living = weak.lock();
      if (!living) return;
      living->due_posted = false;
      living->run_due();
    });
  }

  /// Runs the timers that are due. Those that they set for now wait for the next iteration of the
  /// loop, so that sockets are served in between.
  void run_due() {
    running_due = true;
    const Instant now = clock.now();
    const std::uint64_t end = next_number;
    auto entry = entries.begin();
    while (entry != entries.end() && entry->first.first <= now) {
      const Key key = entry->first;
      if (key.second < end) {
        const std::function<void()> work = std::move(entry->second);
        entries.erase(entry);
        work();
      }
      entry = entries.upper_bound(key);
    }
    running_due = false;
    arm();
  }

  const Clock& clock;
  const asio::executor_work_guard<asio::io_context::executor_type> guard;  // idle is no end
  asio::steady_timer wake_timer;
  std::map<Key, std::function<void()>> entries;
  std::uint64_t next_number = 0;
  std::optional<Instant> armed_for;       // what Asio's timer will wake for
  bool due_posted = false;                // what is due will be run without Asio's timer
  bool running_due = false;               // armed once when all that is due has run
  std::atomic<std::thread::id> thread{};  // of the running loop

  bool on_own_thread() const {
    const std::thread::id running = thread.load();
    return running == std::thread::id{} || running == std::this_thread::get_id();
  }
};

AsioLoop::AsioLoop(const Clock& clock)
    : clock_(clock),
      // Without a concurrency hint: told that there is one thread, Asio lets what other threads
      // post overtake what the loop's own thread posted before.
      own_context_(std::make_unique<asio::io_context>()),
      context_(*own_context_),
      agenda_(std::make_shared<Agenda>(clock, context_)) {}

AsioLoop::AsioLoop(const Clock& clock, asio::io_context& borrowed)
    : clock_(clock), context_(borrowed), agenda_(std::make_shared<Agenda>(clock, context_)) {}

AsioLoop::~AsioLoop() {
  // Dropped work may own timers and subscriptions: they must find the agenda gone, but its map
  // still whole.
  std::shared_ptr<Agenda> agenda = std::move(agenda_);
  std::map<Agenda::Key, std::function<void()>> dropped;
  dropped.swap(agenda->entries);
  dropped.clear();
}

void AsioLoop::post(std::function<void()> work) {
  if (own_context_) return asio::post(context_, std::move(work));
  // A borrowed context goes on when the loop has ended.
  asio::post(context_, [loop = std::weak_ptr<Agenda>(agenda_), work = std::move(work)] {
    if (!loop.expired()) work();
  });
}

Timer AsioLoop::run_at(Instant when, std::function<void()> work) {
  assert(agenda_->on_own_thread());
  const Agenda::Key key = agenda_->add(when, std::move(work));
  return Timer([agenda = std::weak_ptr<Agenda>(agenda_), key] {
    const std::shared_ptr<Agenda> living = agenda.lock();
    if (!living) return;
    assert(living->on_own_thread());
    living->entries.erase(key);
  });
}

void AsioLoop::run() {
  agenda_->thread = std::this_thread::get_id();
  context_.run();
  agenda_->thread = std::thread::id{};
}

bool AsioLoop::run_until(const std::function<bool()>& condition, Duration limit) {
  agenda_->thread = std::this_thread::get_id();
  const Instant end = clock_.now() + limit;
  bool holds = condition();
  while (!holds && !context_.stopped() && clock_.now() < end) {
    context_.run_one_for(std::min<Duration>(end - clock_.now(), std::chrono::seconds(1)));
    holds = condition();
  }
  agenda_->thread = std::thread::id{};
  return holds;
}

void AsioLoop::stop() { context_.stop(); }

asio::io_context& AsioLoop::context() { return context_; }

LoopThread::LoopThread(AsioLoop& loop) : loop_(loop), thread_([&loop] { loop.run(); }) {}

LoopThread::~LoopThread() {
  loop_.stop();
  thread_.join();
}

}  // namespace nlc::net

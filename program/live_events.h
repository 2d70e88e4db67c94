#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "client/endpoint.h"
#include "controller/live/change.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/executor.h"

namespace nlc::program {

/// `/v1/live`: server-sent events, first a `snapshot`, then a `change` for each second. Who comes
/// back with the `Last-Event-ID` of one that is still held gets those that followed it.
///
/// While nobody looks the controller is asked for nothing. While somebody does, it is asked once a
/// second at most, and no sooner after the last time than a hundredth of its time allows; what it
/// answers is written down once for all who look. Held are `events_max` events of at most
/// `bytes_max`; a minute after the last viewer has left all is forgotten.
///
/// On the port's thread. To be destroyed while neither thread runs anything of it.
class LiveEvents {
 public:
  using Change = controller::live::Change;

  static constexpr std::size_t viewers_max = 128;
  static constexpr std::size_t events_max = 60;
  static constexpr std::size_t bytes_max = 1024 * 1024;
  static constexpr Duration period = std::chrono::seconds(1);
  static constexpr Duration kept_for = std::chrono::minutes(1);
  static constexpr Duration time_out = std::chrono::seconds(5);

  struct Env {
    Executor& controller;
    Executor& port;
    const Clock& clock;
  };
  /// On the controller's thread.
  struct Source {
    std::function<Change()> look;  ///< what is another than at the last look
    std::function<void()> forget;  ///< the next look is the first
  };
  LiveEvents(Env env, Source source) : env_(env), source_(std::move(source)) {}

  Subscription serve(const client::IncomingRequest& request, std::unique_ptr<client::Reply> reply);

 private:
  using Text = std::shared_ptr<const std::string>;
  struct Viewer {
    std::unique_ptr<client::Reply> reply;
    std::string last_id;
    bool open = false;  ///< it has begun to get events
    Timer time_out;
  };
  struct Event {
    std::uint64_t number;
    Text text;
  };

  void look();
  void looked(const Change& change);
  void apply(const Change& change);
  Text event(std::string_view kind, std::uint64_t number, const Change& change) const;
  void keep(Event event);
  void begin(Viewer& viewer);
  std::optional<std::uint64_t> held_since(std::string_view id) const;
  void give_up(std::uint64_t viewer);
  void rest();
  void forget();

  const Env env_;
  const Source source_;
  std::map<std::uint64_t, Viewer> viewers_;
  std::uint64_t last_viewer_ = 0;
  bool looking_ = false;
  Instant next_look_ = Instant::min();
  Timer next_;  ///< look, or moment to forget
  // All that follows is nothing while nobody looks:
  std::string epoch_;         ///< tells numbers of one time from those of another
  std::uint64_t number_ = 0;  ///< of the last event
  Change whole_;              ///< all but the nodes
  std::map<std::string, controller::live::Node> nodes_;
  std::deque<Event> events_;
  std::size_t bytes_ = 0;
  std::optional<Event> snapshot_;  ///< the last that was written
  CallbackScope callbacks_;
};

}  // namespace nlc::program

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "client/endpoint.h"
#include "controller/observe/record.h"
#include "controller/why/answer.h"
#include "program/live_events.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/result.h"

namespace nlc::program {

/// The pages of the status port: `/v1/why…` and `/v1/observe`, as JSON, or as text with
/// `?output=text`; and `/`, the live page, with `/v1/live`, its events. What the controller knows
/// is its thread's alone, so each question is posted there and its answer back; what is answered is
/// written down here.
///
/// That thread is spared: one question at a time, none sooner after the last than a tenth of its
/// time allows, `waiting_max` in line and 503 for all others; who is not answered within `time_out`
/// gets 503 too. Read-only. A caller who names us by a foreign host is refused, for that is a web
/// page that had its name point here; and no page of elsewhere may read what is answered.
///
/// `serve` is called on the port's thread, what is known is asked for on the controller's. To be
/// destroyed while neither of the two runs anything of it.
class StatusPages final : public client::Endpoint {
 public:
  using Answer = controller::why::Answer;
  using Question = controller::why::Question;
  using Record = controller::observe::Record;
  /// What the controller can be asked for, on its thread.
  struct Knowledge {
    std::function<Answer(const Question&)> explain;
    /// Nothing where it performs what it decides. May be empty.
    std::function<std::optional<Record>()> observed = {};
    LiveEvents::Source live = {};
  };

  static constexpr std::size_t waiting_max = 32;
  static constexpr Duration time_out = std::chrono::seconds(5);

  struct Env {
    Executor& controller;
    Executor& port;
    const Clock& clock;
  };
  StatusPages(Env env, Knowledge knowledge)
      : env_(env),
        knowledge_(std::move(knowledge)),
        live_({.controller = env.controller, .port = env.port, .clock = env.clock},
              knowledge_.live) {}

  Subscription serve(client::IncomingRequest request,
                     std::unique_ptr<client::Reply> reply) override;

 private:
  enum class Output : std::uint8_t { Json, Text };
  /// Writes down what was answered, on the port's thread.
  using Page = std::function<client::Response(Output)>;
  /// Asks for it, on the controller's.
  using Ask = std::function<Page()>;
  struct Caller {
    Ask ask;
    Output output = Output::Json;
    std::unique_ptr<client::Reply> reply;
    Timer time_out;
  };

  Subscription wait_for(Ask ask, Output output, std::unique_ptr<client::Reply> reply);
  void ask_next();
  Result<Ask> asked_for(std::string_view path) const;
  void answered(std::uint64_t caller, const Page& page, Duration took);
  void give_up(std::uint64_t caller);

  const Env env_;
  const Knowledge knowledge_;
  LiveEvents live_;
  std::map<std::uint64_t, Caller> callers_;  ///< who has not been answered
  std::deque<std::uint64_t> line_;           ///< those whose question was not posted yet
  std::uint64_t last_caller_ = 0;
  bool asking_ = false;
  Instant next_question_ = Instant::min();
  Timer pause_;
  CallbackScope callbacks_;
};

}  // namespace nlc::program

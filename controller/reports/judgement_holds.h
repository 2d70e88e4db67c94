#pragma once

#include <array>
#include <optional>
#include <string>

#include "client/event_recorder.h"
#include "controller/rules/health.h"
#include "metrics/metrics.h"
#include "runtime/log.h"
#include "runtime/time.h"

namespace nlc::controller {

/// Says that judgement is held, why, and when it goes on: for each reason one metric, one line in
/// the log when it begins and one when it ends, one event, and a part of the readiness page.
///
/// It decides nothing: what is held, and for how long, is for those who ask.
class JudgementHolds {
 public:
  struct Env {
    Log& log;
    metrics::Metrics& metrics;
    client::EventRecorder& events;
    client::EventSubject subject;  ///< what the events are about
  };
  explicit JudgementHolds(Env env) : env_(std::move(env)) {}

  enum class Voice { Silent, Events };

  /// Why judgement is held for that reason as of now, by what was seen; empty: it is not. While it
  /// lasts the log says so once a minute. The event comes when it begins; that of a paused server
  /// when it is over, for nobody would have taken it before.
  void set(metrics::Hold reason, const std::string& why, Instant now, Voice voice);
  /// Nobody asks any more, which is no end that anybody is told of.
  void forget(metrics::Hold reason);

  struct Progress {
    Duration held_for;
    std::string detail;
  };
  /// Nothing: it is not held for that reason.
  std::optional<Progress> progress(metrics::Hold reason, Instant now) const {
    const Hold& known = hold(reason);
    if (!known.held) return std::nullopt;
    return Progress{.held_for = now - known.since, .detail = known.detail};
  }

  /// A stream that stalls costs nobody its judgement, for quorum reads take its place, and a node
  /// or lease that cannot be read costs no other: these are worth telling, but no failure.
  HealthCheck check(Instant now) const;

 private:
  struct Hold {
    bool held = false;
    Instant since;
    Instant told;  ///< last in the log
    std::string detail;
  };
  void begin(metrics::Hold reason, Hold& known, Instant now);
  void remind(metrics::Hold reason, Hold& known, Instant now);
  void end(metrics::Hold reason, Hold& known, Instant now);
  void record(metrics::Hold reason, const Hold& known, Instant now);
  const Hold& hold(metrics::Hold reason) const { return holds_[static_cast<std::size_t>(reason)]; }

  Env env_;
  std::array<Hold, metrics::holds.size()> holds_;
};

}  // namespace nlc::controller

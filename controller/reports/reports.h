#pragma once

#include <string>
#include <vector>

#include "client/event_recorder.h"
#include "controller/decisions/decisions.h"
#include "controller/reports/history.h"
#include "controller/reports/judgement_holds.h"
#include "controller/reports/pause_report.h"
#include "controller/rules/health.h"
#include "controller/server/cluster_watch.h"
#include "controller/writes/write_troubles.h"
#include "metrics/metrics.h"
#include "runtime/clock.h"
#include "runtime/log.h"
#include "runtime/trouble.h"

namespace nlc::controller {

/// Everything that is told to people of what was decided and of what became of it: events, lines of
/// the log, metrics, the readiness page. It decides nothing.
///
/// On the executor's thread.
class Reports {
 public:
  struct Env {
    client::Transport& transport;
    const Clock& clock;
    Log& log;
    metrics::Metrics& metrics;
    HealthBoard& health;
    History& history;  ///< told of what happens without a decision
  };
  /// `self`: what events about the controller itself are about.
  Reports(Env env, client::EventSubject self, const PolicyWatch::Place& policy);

  /// Events are the leader's to write, and so is what could not be written or read for a write.
  void lead(bool leading);

  /// Decisions are about to be performed.
  void deciding(const std::vector<Decision>& decisions);
  void leaving(const Decisions::Leaving& leaving);
  void pod_marked(const PodRef& pod);
  /// A write was refused, or a read failed, and will be tried again.
  void refused(const NodeRef& node, const Error& error);
  void refused(metrics::Queue queue, const PodRef& pod, const Error& error);

  /// What is held back, and why.
  void held(const ApiServerHealth& server, Decisions& decisions, Instant now);
  void paused(OperatorHolds& holds, View view, Instant now) {
    pauses_.tell(holds, view, leading_, now);
  }
  /// What happened since the last call: how much of it.
  std::size_t tell(Decisions& decisions, Instant now);
  /// A monitor pass over all nodes took so long.
  void monitored(const Decisions& decisions, std::size_t nodes, Duration took);
  void publish_health(const ClusterWatch& watch, Instant now);

  const JudgementHolds& holds() const { return holds_; }

 private:
  void announce(const Decision& decision);
  void tell_of(const NodeEvent& event);
  void tell_of(const ZoneEvent& event);
  void tell_cancelled(TaintEviction& eviction);
  void tell_undone(PodReadiness& readiness, Instant now);
  void tell_foreign(Decisions& decisions, Instant now);
  void publish_queues(Decisions& decisions, Instant now);
  void follow(metrics::Queue queue, std::size_t waiting, std::size_t troubled, Instant now);
  void hold(metrics::Hold reason, const std::string& why, Instant now);
  void hold_reads(Decisions& decisions, Instant now);
  void publish_zones(const Zones& zones);
  void warn_of_silent_stop(const Decisions& decisions);

  Env env_;
  client::EventRecorder node_events_;
  client::EventRecorder eviction_events_;
  JudgementHolds holds_;
  PauseReport pauses_;
  WriteTroubles troubles_;
  Trouble two_masters_;
  bool leading_ = false;
  bool zones_counted_ = false;
  Duration blind_told_{0};
};

}  // namespace nlc::controller

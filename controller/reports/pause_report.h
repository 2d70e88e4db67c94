#pragma once

#include <optional>
#include <string>

#include "client/event_recorder.h"
#include "controller/decisions/operator_holds.h"
#include "controller/pause/policy_watch.h"
#include "controller/rules/health.h"
#include "controller/rules/view.h"
#include "metrics/metrics.h"
#include "runtime/log.h"
#include "runtime/trouble.h"

namespace nlc::controller {

/// Says what is paused and at whose word, and what of it cannot be read: in the log, in metrics, in
/// events about the ConfigMap and about nodes, and on the readiness page. It decides nothing.
class PauseReport {
 public:
  struct Env {
    Log& log;
    metrics::Metrics& metrics;
    client::EventRecorder& events;
    PolicyWatch::Place place;
  };
  explicit PauseReport(Env env) : env_(std::move(env)) {}

  /// Events are the leader's to write.
  void tell(OperatorHolds& holds, View view, bool leading, Instant now);

  /// A word that cannot be read stops nobody from being ready; that none was read yet does.
  const HealthCheck& check() const { return check_; }

 private:
  void tell_policy(const OperatorHolds& holds, View view, bool leading);
  void tell_trouble(const PolicyInForce& in_force, bool leading, Instant now);
  void tell_node(const api::Node& node, bool readable, bool leading);
  void publish(const OperatorHolds& holds);
  void publish_page();
  void record(const PolicyInForce& in_force, const client::EventText& text);

  const Env env_;
  std::optional<std::string> told_;  ///< what was in force
  /// What metrics and page were last made of.
  struct Published {
    PolicyState state = PolicyState::Unread;
    bool known = false;
    std::string trouble;
    std::size_t unreadable = 0;
    std::size_t evictions = 0;
    std::size_t all = 0;
    bool in_vain = false;
    friend bool operator==(const Published&, const Published&) = default;
  };
  std::optional<Published> published_;
  std::string malformed_;
  Trouble trouble_;
  HealthCheck check_{.name = "policy", .ok = false, .detail = "it has not been read yet"};
};

}  // namespace nlc::controller

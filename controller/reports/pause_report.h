#pragma once

#include <optional>
#include <string>
#include <vector>

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

  /// A word that cannot be read, or is about nobody, stops nobody from being ready, and is warned
  /// of; that none was read yet does.
  const HealthCheck& check() const { return check_; }

 private:
  void look_for_nodes(OperatorHolds& holds, const std::string& text, View view, Instant now);
  void tell_policy(const OperatorHolds& holds, std::string text, bool leading);
  void tell_trouble(const PolicyInForce& in_force, bool leading, Instant now);
  void tell_node(const api::Node& node, bool readable, bool leading);
  void publish(const OperatorHolds& holds);
  void publish_page();
  void record(const PolicyInForce& in_force, const client::EventText& text);

  const Env env_;
  std::optional<std::string> told_;         ///< what was in force
  std::vector<std::string> without_nodes_;  ///< orders about no node, in words
  std::string asked_about_;                 ///< what was in force when they were looked for
  Instant ask_nodes_after_ = Instant::min();
  bool nodes_changed_ = false;  ///< since then
  /// What metrics and page were last made of.
  struct Published {
    PolicyState state = PolicyState::Unread;
    bool known = false;
    std::string trouble;
    std::size_t unreadable = 0;
    std::size_t evictions = 0;
    std::size_t all = 0;
    bool in_vain = false;
    std::vector<std::string> without_nodes;
    friend bool operator==(const Published&, const Published&) = default;
  };
  std::optional<Published> published_;
  std::string malformed_;
  Trouble trouble_;
  HealthCheck check_{.name = "policy", .ok = false, .detail = "it has not been read yet"};
};

}  // namespace nlc::controller

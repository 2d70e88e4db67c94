#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "controller/decisions/decisions.h"
#include "controller/loop/moments.h"
#include "controller/loop/pass_schedule.h"
#include "controller/pause/policy_watch.h"
#include "controller/reports/history.h"
#include "controller/reports/reports.h"
#include "controller/server/api_server_health.h"
#include "controller/server/cluster_watch.h"
#include "controller/server/missing_objects.h"
#include "controller/writes/write_listener.h"
#include "runtime/log.h"

namespace nlc::controller {

/// What became of what was decided: the machine that decided is told, what the server showed goes
/// into the view, and what it tells of the server itself is followed.
///
/// On the executor's thread.
class Answers final : public WriteListener {
 public:
  struct Env {
    Moments moments;
    Log& log;
    ClusterWatch& watch;
    PolicyWatch& policy_watch;
    ApiServerHealth& server;
    Decisions& decisions;
    History& history;
    Reports& reports;
    PassSchedule& passes;
  };
  /// `then` is called after each.
  Answers(const Env& env, std::function<void()> then) : env_(env), then_(std::move(then)) {}

  /// What is known of the server calls for some things: they are done.
  void follow_server();
  /// What reads of the operator's ConfigMap tell of the server.
  void follow_policy();

  void on_node_write(const NodeRef& node, NodePart part, WriteReport<api::Node> report) override;
  void on_pod_write(const PodRef& pod, WriteReport<api::Pod> report) override;
  void on_marked(const EvictPod& eviction, WriteReport<api::Pod> report) override;
  void on_marked(const EvictLostPod& eviction, WriteReport<api::Pod> report) override;
  void on_deleted(const EvictPod& eviction, WriteReport<api::Pod> report) override;
  void on_deleted(const EvictLostPod& eviction, WriteReport<api::Pod> report) override;
  void on_node_read(const NodeRef& node, Result<api::Node> live) override;
  void on_leases(const ReadLeases& asked, Result<FoundLeases> found) override;

 private:
  /// By what was read of leases, or could not be.
  void judge_by(const ReadLeases& asked, const Result<std::vector<api::NodeLease>>& found);
  template <typename Machine>
  void marked(Machine& machine, const PodRef& pod, const WriteReport<api::Pod>& report);
  template <typename Machine>
  void deleted(Machine& machine, const PodRef& pod, const WriteReport<api::Pod>& report);
  void take(const NodeRef& node, const WriteReport<api::Node>& report);
  void take(const PodRef& pod, const WriteReport<api::Pod>& report);
  /// What is there has to be newer than what was seen before it was read.
  template <typename T>
  void read_of_the_past(Watched what, const T& live, const informer::Store<T>& known);
  /// What was asked for is not there. Where the view still shows it its watch is to tell that.
  template <typename T>
  void missing(Watched what, const informer::Store<T>& known, const std::string& key,
               const std::string& uid);
  Instant now() const { return env_.moments.now().now; }
  Decisions::Machines& machines() { return env_.decisions.machines(); }

  const Env env_;
  const std::function<void()> then_;
  PerWatch<MissingObjects> missing_;
  std::uint64_t policy_rewinds_ = 0;
};

}  // namespace nlc::controller

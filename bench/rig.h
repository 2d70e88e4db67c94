#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <variant>
#include <vector>

#include "bench/bench_flags.h"
#include "client/limits/gate.h"
#include "client/transport.h"
#include "net/http/listen_address.h"
#include "net/loop/asio_loop.h"
#include "nlc/console/child.h"
#include "runtime/clock.h"
#include "runtime/log.h"
#include "runtime/result.h"

namespace nlc::bench {

/// What every run stands on.
struct Bench {
  const Clock& clock;
  net::AsioLoop& loop;
  bool stopped = false;  ///< the user wants to end, and the loop was stopped
};

/// The cluster and the controller as processes, and the ways to ask them something. They end with
/// this value, on whatever way it ends, and with this process.
///
/// Every wait ends early, with an error, when one of them ends or the loop is stopped.
class Rig {
 public:
  /// `directory`: an existing one, for the kubeconfig, the report and both outputs. What an earlier
  /// rig left there is removed, so that nothing of it is taken for news.
  Rig(const Bench& bench, const BenchFlags& flags, std::string directory);

  /// Until all nodes and pods run. `victims`: flags of nlc that say who will lose power.
  Result<std::monostate> start_cluster(const std::vector<std::string>& victims);
  /// Until the controller says that it is ready. The answer: how long that took.
  Result<Duration> start_controller();

  Result<std::monostate> rest(Duration span);
  /// Looks at the condition every 20 ms.
  Result<std::monostate> wait(const std::string& what, Duration limit,
                              const std::function<bool()>& condition);

  pid_t controller_process() const { return controller_->pid(); }
  /// The controller's /metrics.
  Result<std::string> metrics();
  /// How long the controller's status port takes to answer with `status`; another one is an error.
  Result<Duration> time_of_answer(const std::string& target, int status);
  pid_t cluster_process() const { return workbench_->pid(); }
  void cut_power() const;
  void give_power_back() const;
  /// What nlc tells of the deaths.
  std::string report() const { return directory_ + "/deaths.jsonl"; }

 private:
  struct Answer {
    client::Response response;
    Duration took;
  };
  Result<Answer> ask(std::unique_ptr<client::Transport>& port, const std::string& target);
  Result<std::monostate> in_order();
  std::vector<std::string> cluster_words(const std::vector<std::string>& victims) const;
  std::string kubeconfig() const { return directory_ + "/kubeconfig"; }
  std::string cluster_output() const { return directory_ + "/cluster.log"; }
  std::string controller_output() const { return directory_ + "/controller.log"; }
  std::unique_ptr<client::Transport> connect(const net::ListenAddress& address);
  Result<net::ListenAddress> address_in(const std::string& file, const std::string& before);

  const Bench& bench_;
  const BenchFlags& flags_;
  const std::string directory_;
  SilentLog log_;
  client::Gate gate_;  ///< closed: a watcher writes nothing
  std::optional<workbench::ChildProcess> workbench_;
  std::optional<workbench::ChildProcess> controller_;
  std::unique_ptr<client::Transport> to_operations_;
  std::unique_ptr<client::Transport> to_status_;
};

}  // namespace nlc::bench

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controller/loop/loop.h"
#include "runtime/flags.h"
#include "runtime/log.h"

namespace nlc::program {

/// What a leader does that lost its lock: contend again with all it remembers, or end the process.
enum class OnLost : std::uint8_t { Recontest, Exit };

/// Whether a replica that does not lead follows the cluster all the same.
enum class Standby : std::uint8_t { Warm, Cold };

/// `--leader-elect` and its companions; the durations are checked against each other.
struct LeaderElectFlags {
  bool enabled = true;
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
  std::string resource_lock = "leases";
  std::string resource_name = "node-lifecycle-controller";
  std::string resource_namespace = "kube-system";
  OnLost on_lost = OnLost::Recontest;
  Standby standby = Standby::Warm;
};

/// `--secure-port` and its companions, named as kube-controller-manager does.
struct SecureServingFlags {
  std::uint16_t port = 0;  ///< 0: no such port
  std::string bind_address = "0.0.0.0";
  std::string certificate_file;  ///< empty: a self-made certificate
  std::string key_file;
};

/// Everything the command line says. Names and defaults are kube-controller-manager's
/// (spec/node-lifecycle.md "Flags", from 1.34 on) save the lock's name and the client limits.
struct Flags {
  std::string kubeconfig;  ///< empty: in-cluster, or what kubectl would use
  std::string context;
  std::string metrics_bind_address = ":10290";  ///< empty: no such port
  SecureServingFlags secure_serving;
  std::string status_bind_address = "127.0.0.1:10291";  ///< empty: no such port
  controller::LoopOptions loop;
  LeaderElectFlags leader_elect;
  LogLevel log_level = LogLevel::Info;
  bool log_json = false;
};

using CommandLine = nlc::CommandLine<Flags>;
CommandLine read_command_line(const std::vector<std::string>& arguments);

}  // namespace nlc::program

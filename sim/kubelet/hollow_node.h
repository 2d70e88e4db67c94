#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/objects.h"
#include "runtime/time.h"

/// What a hollow kubelet tells about its node, in the words of a real one. Pure.
namespace nlc::sim {

/// On everything that is made, with the name of the run that made it.
inline constexpr const char* run_annotation = "nlc.hollow/run";

/// Keeps the pods of others away: a NoSchedule taint, as there is no machine to run them.
inline constexpr const char* hollow_taint = "nlc.hollow/no-machine";

/// Who a kubelet is. `index` makes its addresses.
struct NodeIdentity {
  std::string name;
  std::string zone;
  std::string region;
  std::string run;  ///< which run made the Node: told in an annotation, to know it again
  std::uint32_t index = 0;
  bool schedulable = true;  ///< else it registers with the taint
};

enum class NotReadyCause : std::uint8_t {
  None,
  Starting,     ///< the first moments, before the container runtime has been asked
  RuntimeDown,  ///< container runtime is down
};

/// What is wrong with a machine.
struct NodeHealth {
  NotReadyCause not_ready = NotReadyCause::None;
  bool memory_pressure = false;
  bool disk_pressure = false;
  bool pid_pressure = false;

  friend bool operator==(const NodeHealth&, const NodeHealth&) = default;
};

/// The conditions as they would be posted now. A condition keeps the transition time of what the
/// server has (`seen`) while its status is the same.
std::vector<api::NodeCondition> node_conditions(const NodeHealth& health,
                                                const std::vector<api::NodeCondition>& seen,
                                                WallTime now);

/// Whether posting `wanted` would tell anything new; times of heartbeats are nothing new.
bool differs(const std::vector<api::NodeCondition>& wanted,
             const std::vector<api::NodeCondition>& seen);

api::Labels node_labels(const NodeIdentity& identity);

/// The body with which a kubelet registers its Node.
std::string node_body(const NodeIdentity& identity, const NodeHealth& health, WallTime now);

/// Strategic merge for nodes/status. Unlike the controller's it names no version: a kubelet's word
/// about its own machine is the newest there is.
std::string node_status_patch(const std::string& uid,
                              const std::vector<api::NodeCondition>& conditions);

std::string node_address(std::uint32_t index);
std::string pod_address(std::uint32_t index, std::uint32_t serial);

}  // namespace nlc::sim

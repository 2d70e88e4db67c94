#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/decode.h"
#include "api/objects.h"
#include "runtime/time.h"

namespace nlc::sim {

/// What can be seen to happen to a node of the demonstration.
enum class Moment : std::uint8_t {
  PowerCut,
  NotReady,     ///< Ready became False: nothing in the demonstration should do that
  Unknown,      ///< Ready became Unknown
  NoSchedule,   ///< tainted not-ready or unreachable, effect NoSchedule
  NoExecute,    ///< the same with effect NoExecute
  PodNotReady,  ///< once for each pod
  PodMarked,    ///< once for each pod: marked for deletion
  PowerBack,
  Renewed,     ///< the first renewal after the power came back
  Ready,       ///< Ready became True again
  TaintsGone,  ///< the last of those taints left
  PodGone,     ///< once for each pod
};

struct Happening {
  Moment moment;
  std::string node;
  Instant at;
};

/// Follows nodes, leases and pods as a watch shows them and tells what changed. What is there when
/// it first sees an object is the beginning, not a change. Pure.
class DemoStory {
 public:
  explicit DemoStory(std::function<void(const Happening&)> tell) : tell_(std::move(tell)) {}

  void on_event(const api::WatchEvent<api::Node>& event, Instant now);
  void on_event(const api::WatchEvent<api::NodeLease>& event, Instant now);
  void on_event(const api::WatchEvent<api::Pod>& event, Instant now);

  /// What the demonstration itself does.
  void power_cut(const std::string& node, Instant now);
  void power_back(const std::string& node, Instant now);

  std::optional<Instant> first(const std::string& node, Moment moment) const;
  std::optional<Instant> last(const std::string& node, Moment moment) const;
  std::size_t count(const std::string& node, Moment moment) const;
  /// The last renewal seen before the power was cut; nothing when none was seen.
  std::optional<Instant> last_renewal(const std::string& node) const;

  std::size_t nodes_ready() const;
  std::size_t pods_ready() const { return pods_ready_; }
  std::size_t pods_of(const std::string& node) const;

  /// Nodes that never lost power, and to which something happened nevertheless.
  std::vector<std::string> touched_without_cause() const;

 private:
  struct NodeView {
    std::optional<api::ConditionStatus> ready;
    bool no_schedule = false;
    bool no_execute = false;
    std::string renewed;             ///< renewTime as text of the version last seen
    std::optional<Instant> renewal;  ///< when it was last seen to move
    std::optional<Instant> renewal_before_cut;
    std::size_t pods = 0;
    std::map<Moment, std::vector<Instant>> happened;
  };
  struct PodView {
    std::string node;
    bool ready = false;
    bool marked = false;
  };

  void happen(Moment moment, const std::string& node, Instant now);
  void compare_ready(NodeView& view, const api::Node& node, Instant now);
  void compare_taints(NodeView& view, const api::Node& node, Instant now);
  const std::vector<Instant>* moments(const std::string& node, Moment moment) const;

  std::function<void(const Happening&)> tell_;
  std::map<std::string, NodeView> nodes_;
  std::map<std::string, PodView> pods_;
  std::size_t pods_ready_ = 0;
};

}  // namespace nlc::sim

#include "sim/rules/reference_model.h"

#include <map>

#include "runtime/go_duration.h"
#include "sim/rules/node_facts.h"

namespace nlc::sim::rules {
namespace {

/// A queue that may last longer than this may still be waited in late in peace.
constexpr Duration long_queue = std::chrono::minutes(5);

/// A node that says Ready evicts nobody for its health: whoever judges nodes takes these taints
/// off.
std::vector<api::Taint> evicting_taints(const api::Node& node) {
  std::vector<api::Taint> taints = node.taints;
  if (is_ready(node)) std::erase_if(taints, is_health_taint);
  return taints;
}

/// Pods of the simulated days tolerate an outage for no longer, or for ever.
constexpr Duration longest_toleration = std::chrono::seconds(90);

class ReferenceModel {
 public:
  ReferenceModel(const Storage& storage, const Rules& rules, Instant now, Duration quiet)
      : storage_(storage), rules_(rules), now_(now), quiet_(quiet) {
    visit_all<api::Node>(storage, "nodes",
                         [&](const api::Node& node) { nodes_.emplace(node.name, node); });
    for (const auto& [name, node] : nodes_) {
      cluster_.add(node, is_alive(name) && is_ready(node));
    }
  }

  std::vector<std::string> differences() {
    if (rules_.something_came_back_unseen()) return {};
    for (const auto& [name, node] : nodes_) compare(node);
    visit_all<api::Pod>(storage_, "pods", [&](const api::Pod& pod) { compare(pod); });
    return std::move(found_);
  }

  /// Nodes still wait for their NoExecute taints, by the rate of their zone. Known after
  /// `differences`.
  bool waits() const { return waits_; }

  /// What follows from the last NoExecute taint that nodes of a zone waited for in a long queue has
  /// been written by then; nothing where none was that long.
  std::optional<Instant> queues_done() const {
    std::optional<Instant> done;
    for (const auto& [name, zone] : cluster_.zones) {
      const double of_zone = rate(name);
      if (of_zone == 0) continue;
      const std::chrono::duration<double> queue(static_cast<double>(zone.others) / of_zone);
      const std::optional<Instant> granted = rules_.zones().last_granted(name);
      if (queue < long_queue || !granted) continue;
      done = std::max(done, std::optional(*granted + longest_toleration + arrival));
    }
    return done;
  }

 private:
  bool is_alive(const std::string& node) const {
    const auto heard = rules_.silence().last_heartbeat(node);
    return heard && now_ - *heard < rules_.inputs().grace;
  }

  /// How many nodes of that zone are given NoExecute taints a second; 0: none is
  /// (spec/zones.md "Zone state").
  double rate(const std::string& name) const {
    return cluster_.any_ready() ? rate_of(cluster_.zones.at(name), rules_.inputs()) : 0;
  }

  /// One is still waited for that comes so long after the last.
  bool waits_for_next(const std::optional<Instant>& last, double seconds) {
    const std::chrono::duration<double> between(seconds);
    const bool waits = last && now_ - *last <= between + arrival;
    waits_ = waits_ || waits;
    return waits;
  }

  /// They still get them, one after the other.
  bool goes_on(const std::string& zone) {
    return waits_for_next(rules_.zones().last_granted(zone), 1 / rate(zone));
  }

  /// What a pause held leaves node by node, at the rate of its zone or, where that is 0, as fast as
  /// if it were not (docs/pause.md).
  bool held_goes_on(const api::Node& node) {
    const double of_zone = rate(zone_of(node));
    return waits_for_next(rules_.zones().last_left(zone_of(node)),
                          1 / (of_zone > 0 ? of_zone : rate_of_held(rules_.inputs())));
  }

  /// Its first NoExecute taint, so that pods which tolerate it for so long need not be gone.
  bool was_just_granted(const std::string& node, Duration stays) const {
    const std::optional<Instant> since = rules_.no_execute_since(node);
    return since && now_ - *since <= stays + arrival;
  }

  static bool has(const api::Node& node, const char* name, const char* effect) {
    return node.taint("node.kubernetes.io/" + std::string(name), effect) != nullptr;
  }
  void want(bool wanted, const api::Node& node, const char* name, const char* effect) {
    if (has(node, name, effect) == wanted) return;
    found_.push_back("node " + node.name + (wanted ? " lacks " : " has ") + name + ":" + effect);
  }

  static bool is_not_ready(const api::Node& node) { return !is_ready(node) && !is_unknown(node); }

  void compare(const api::Node& node) {
    if (!rules_.inputs().judges_nodes) return;
    const bool alive = is_alive(node.name);
    if (alive == is_unknown(node)) {
      found_.push_back("node " + node.name + (alive ? " is alive and" : " is dead and not") +
                       " Unknown");
    }
    want(is_unknown(node), node, "unreachable", "NoSchedule");
    want(is_not_ready(node), node, "not-ready", "NoSchedule");
    want(node.unschedulable, node, "unschedulable", "NoSchedule");
    if (!rules_.inputs().pod_timeout && !cluster_.none_counts()) compare_no_execute(node);
  }

  void compare_no_execute(const api::Node& node) {
    const bool any_ready = cluster_.any_ready();
    if (!is_unknown(node) || !any_ready) want(false, node, "unreachable", "NoExecute");
    if (!is_not_ready(node) || !any_ready) want(false, node, "not-ready", "NoExecute");
    if (is_ready(node) || rate(zone_of(node)) == 0) return;
    const char* const outage = is_unknown(node) ? "unreachable" : "not-ready";
    if (has(node, outage, "NoExecute") || goes_on(zone_of(node))) return;
    want(true, node, outage, "NoExecute");
  }

  void compare(const api::Pod& pod) {
    const auto found = nodes_.find(pod.node_name);
    if (found == nodes_.end() || pod.finished || pod.deleting) return;
    const api::Node& node = found->second;
    const bool held = rules_.inputs().holds_pods_ready && !cluster_.any_ready();
    const bool marked = rules_.inputs().judges_nodes && !held;
    if (marked && is_unknown(node) && !never_reported(node) && is_ready(pod)) {
      found_.push_back("pod " + pod.key() + " is Ready on " + node.name + ", which is dead");
    }
    if (rules_.inputs().pod_timeout) return compare_by_timeout(pod, node);
    if (!has_no_execute(node) || !rules_.inputs().evicts_pods) return;
    if (rules_.was_paused(node.name) && held_goes_on(node)) return;
    // Since when the newest of the taints stands nobody can know better than the taint says: it has
    // stood for as long as nothing was written, which the caller waited for. Where its zone's queue
    // goes on it may be the last that was granted.
    const Duration stays = tolerated_for(pod, evicting_taints(node));
    if (stays <= quiet_ && !was_just_granted(node.name, stays)) {
      found_.push_back("pod " + pod.key() + " is not deleted from " + node.name);
    }
  }

  /// Peace is longer than any timeout.
  void compare_by_timeout(const api::Pod& pod, const api::Node& node) {
    const std::string zone = zone_of(node);
    if (is_ready(node) || rate(zone) == 0 || pod.daemon) return;
    if (rules_.was_paused(node.name) && held_goes_on(node)) return;
    if (!goes_on(zone)) found_.push_back("pod " + pod.key() + " is not deleted from " + node.name);
  }

  const Storage& storage_;
  const Rules& rules_;
  const Instant now_;
  const Duration quiet_;  ///< nothing was written for so long
  std::map<std::string, api::Node> nodes_;
  ClusterCount cluster_;
  bool waits_ = false;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> differences(const Storage& storage, const Rules& rules, Instant now,
                                     Duration quiet) {
  ReferenceModel model(storage, rules, now, quiet);
  std::vector<std::string> found = model.differences();
  const Instant written = rules.last_write();
  const bool by_queue = model.waits() || written <= model.queues_done().value_or(Instant::min());
  if (!by_queue && written != Instant::min() && now - written < quiet) {
    found.push_back("the controller still wrote " + go_duration(now - written) + " ago");
  }
  return found;
}

}  // namespace nlc::sim::rules

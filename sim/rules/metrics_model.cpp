#include "sim/rules/metrics_model.h"

#include <algorithm>
#include <utility>

#include "sim/rules/node_facts.h"
#include "sim/rules/operator_policy.h"
#include "sim/rules/zone_rules.h"

namespace nlc::sim::rules {
namespace {

using Labels = Series::key_type;

/// As the label has it (spec/zones.md "Zone key").
std::string zone_label(const std::string& zone) {
  using namespace std::string_literals;
  if (zone == "/") return "";
  const std::size_t slash = zone.find('/');
  return zone.substr(0, slash) + ":\0:"s + zone.substr(slash + 1);
}

std::string shown(const std::string& family, const Labels& labels) {
  std::string text = family;
  for (const auto& [name, value] : labels) text += " " + name + "=" + value;
  return text;
}

/// The series of some families, and what they should be.
class Wanted {
 public:
  explicit Wanted(const Metrics& told) : told_(told) {}

  /// These series, whatever others there are.
  void at_least(const std::string& family, const Series& wanted) {
    compare(family, told(family), wanted);
  }
  /// These series and no others.
  void exactly(const std::string& family, const Series& wanted) {
    const Series& found = told(family);
    compare(family, found, wanted);
    for (const auto& [labels, value] : found) {
      if (wanted.contains(labels)) continue;
      differences_.push_back("metric " + shown(family, labels) + " is of nothing that is there");
    }
  }
  /// Each of its series but those.
  void all_zero(const std::string& family, const std::vector<Labels>& others) {
    const Series& found = told(family);
    Series zero = found;
    for (auto& [labels, value] : zero) value = std::ranges::count(others, labels) > 0 ? value : 0;
    compare(family, found, zero);
  }

  std::vector<std::string> differences() && { return std::move(differences_); }

 private:
  const Series& told(const std::string& family) const {
    static const Series none;
    const auto found = told_.find(family);
    return found == told_.end() ? none : found->second;
  }

  void compare(const std::string& family, const Series& found, const Series& wanted) {
    for (const auto& [labels, value] : wanted) {
      const auto series = found.find(labels);
      const bool there = series != found.end();
      if (there && series->second == value) continue;
      differences_.push_back("metric " + shown(family, labels) + " is not " +
                             std::to_string(value) + ", but " +
                             (there ? std::to_string(series->second) : "not there"));
    }
  }

  const Metrics& told_;
  std::vector<std::string> differences_;
};

double count_of(const Storage& storage, const Resource& resource, const std::string& in = {}) {
  double count = 0;
  storage.visit(resource, {in, "", 0}, [&count](const ObjectRef&) {
    ++count;
    return true;
  });
  return count;
}

/// In memory, as far as the flags let it follow them.
Series objects(const Storage& storage, const RuleInputs& inputs) {
  const auto of = [](const char* name) { return Labels{{"resource", name}}; };
  const bool policy = storage.find(core_resource("configmaps"), OperatorPolicy::key) != nullptr;
  Series objects{{of("configmaps"), policy ? 1 : 0}};
  // Where none is judged watches alone tell what came back with a backup a moment after it was
  // taken, and nobody asks for a node that is gone and that a watch told of again.
  const bool comes_to_know = inputs.judges_nodes || !inputs.restores.unnoticed;
  if (comes_to_know) objects[of("pods")] = count_of(storage, core_resource("pods"));
  if (inputs.judges_nodes || (comes_to_know && inputs.told_again.empty())) {
    objects[of("nodes")] = count_of(storage, core_resource("nodes"));
  }
  if (inputs.judges_nodes) {
    objects[of("leases")] = count_of(storage, leases(), "kube-node-lease");
  }
  return objects;
}

void want_zones(Wanted& wanted, const ClusterCount& cluster) {
  Series sizes;
  Series not_ready;
  Series health;
  for (const auto& [name, count] : cluster.zones) {
    const Labels zone{{"zone", zone_label(name)}};
    sizes[zone] = static_cast<double>(count.all());
    not_ready[zone] = static_cast<double>(count.others);
    health[zone] = count.all() == 0 ? 100 : 100 * static_cast<double>(count.ready) / sizes[zone];
  }
  wanted.exactly("node_collector_zone_size", sizes);
  wanted.exactly("node_collector_unhealthy_nodes_in_zone", not_ready);
  wanted.exactly("node_collector_zone_health", health);
}

/// There is a zone that does.
bool lets_nobody_go(const ClusterCount& cluster, const RuleInputs& inputs) {
  return cluster.none_counts() || std::ranges::any_of(cluster.zones, [&](const auto& zone) {
           return rate_of(zone.second, inputs) == 0;
         });
}

std::vector<Labels> queues_that_wait(const ClusterCount& cluster, const RuleInputs& inputs) {
  std::vector<Labels> waiting;
  // While no node is Ready pods wait to be marked where they are to stay Ready.
  if (inputs.holds_pods_ready && !cluster.any_ready()) {
    waiting.push_back({{"name", "node_lifecycle_controller_pods"}});
  }
  // By timeout the pods of a node whose turn has come wait while its zone lets nobody go.
  if (inputs.pod_timeout && lets_nobody_go(cluster, inputs)) {
    waiting.push_back({{"name", "noexec_taint_pod"}});
  }
  return waiting;
}

/// Where something may not be watched reads take the place of its stream, and it is told.
std::vector<Labels> judgement_held(const RuleInputs& inputs, Instant now) {
  if (!covers(inputs.watches_refused, now)) return {};
  return {Labels{{"reason", "stream_stalled"}}};
}

}  // namespace

std::vector<std::string> untrue(const Metrics& told, const Storage& storage,
                                const RuleInputs& inputs, Instant now) {
  ClusterCount cluster;
  visit_all<api::Node>(storage, "nodes",
                       [&](const api::Node& node) { cluster.add(node, is_ready(node)); });
  // One that is gone, and that a watch told of again when all was written on it, is not asked for
  // before its zone lets it go.
  const bool stays_gone =
      !inputs.told_again.empty() && (!cluster.any_ready() || lets_nobody_go(cluster, inputs));
  Wanted wanted(told);
  if (!inputs.restores.missed && !stays_gone) {
    wanted.at_least("nlc_store_objects", objects(storage, inputs));
    if (inputs.judges_nodes) want_zones(wanted, cluster);
  }
  wanted.all_zero("workqueue_depth", queues_that_wait(cluster, inputs));
  wanted.all_zero("nlc_judgement_held", judgement_held(inputs, now));
  return std::move(wanted).differences();
}

std::vector<std::string> untrue_of_standby(const Metrics& told, const Storage& storage,
                                           const RuleInputs& inputs) {
  if (inputs.told_to_leaders_alone || !inputs.judges_nodes) return {};
  Wanted wanted(told);
  wanted.at_least("nlc_store_objects", objects(storage, inputs));
  return std::move(wanted).differences();
}

}  // namespace nlc::sim::rules

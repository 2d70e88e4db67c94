#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "metrics/handles.h"

/// Every metric family of the program, declared once; names, labels and buckets are upstream's
/// where the meaning is (spec/node-lifecycle.md "Metrics"), `nlc_*` are ours. Promises small closed
/// label sets: never the name of a node or pod. Knows nothing of the rest of the program and keeps
/// no state between instances, so five replicas in one process count apart.
namespace nlc::metrics {

/// One zone as the monitor pass saw it.
struct ZoneMetrics {
  Gauge health;  ///< percent of its nodes that are healthy
  Gauge size;
  Gauge unhealthy;
  Gauge waiting;      ///< nodes in its queue for a NoExecute taint
  Counter evictions;  ///< NoExecute taints that were written
  /// 1 for the state the zone is in, else 0; in the order of `zone_states`.
  std::array<Gauge, 4> states;
};

constexpr std::array<std::string_view, 4> zone_states{"Initial", "Normal", "PartialDisruption",
                                                      "FullDisruption"};

/// One watched resource: "nodes", "pods", "leases".
struct ResourceMetrics {
  Counter events;
  Counter malformed;
  Gauge objects;
  Gauge seconds_since_progress;  ///< since it was last heard of: event, bookmark, page of a list
};

/// The work that kube-controller-manager does from a queue of this name (spec/node-lifecycle.md
/// "Metrics"), with the same families. Here a piece of work is a write, and what waits is the wish
/// for it.
struct QueueMetrics {
  Gauge depth;      ///< waiting: for their turn, or for the end of a back-off
  Counter adds;     ///< begun, again ones included
  Counter retries;  ///< failed, and so begun again later
  Histogram work;   ///< seconds from the first request to the last answer
};

enum class Queue : std::uint8_t { Nodes, PodMarks, TaintedNodes, PodEvictions };
inline constexpr std::array queues{Queue::Nodes, Queue::PodMarks, Queue::TaintedNodes,
                                   Queue::PodEvictions};

struct ElectionMetrics {
  Gauge leading;        ///< 1 while this process leads, else 0
  Counter slow_path;    ///< renewals that had to read first
  Counter transitions;  ///< changes of the leader that this process saw
  Histogram renewal;    ///< seconds from sending to acknowledgement
};

/// Why what is seen of silent nodes is not trusted. Of a stream that stalls quorum reads take the
/// place, so that nodes are judged all the same. A node that cannot be read keeps its pods.
enum class Hold : std::uint8_t {
  ServerPaused,
  StreamStalled,
  VersionRewound,
  LeaseUnread,
  NodeUnread
};
inline constexpr std::array holds{Hold::ServerPaused, Hold::StreamStalled, Hold::VersionRewound,
                                  Hold::LeaseUnread, Hold::NodeUnread};
std::string_view name_of(Hold reason);

/// What can be paused for a node, and how the ConfigMap that says so can stand.
inline constexpr std::array<std::string_view, 2> pauses{"evictions", "all"};
inline constexpr std::array<std::string_view, 5> policy_states{"unread", "absent", "read",
                                                               "malformed", "forbidden"};

enum class Write : std::uint8_t { NodeStatus, NodeTaints, NodeLabels, PodStatus, PodDelete };

struct Families;

/// Looking a series up costs about a microsecond: ask once and keep the handle. `exposition` and
/// `requests` may be called from any thread, the other functions from one thread only; handles
/// count from any.
class Metrics {
 public:
  explicit Metrics(std::string_view version);
  ~Metrics();

  /// Everything, in the text format 0.0.4, this process's own CPU, memory and descriptors included.
  std::string exposition() const;
  /// The same of the election, its requests and the process: of one that does nothing else.
  std::string exposition_of_election() const;
  using Labels = std::map<std::string, std::string>;
  using Series = std::map<Labels, double>;
  /// All series by family and labels: a count where it is a histogram. For those who check a run.
  std::map<std::string, Series, std::less<>> values() const;
  /// The first series of that name that has all these labels. Nothing when there is none.
  std::optional<double> value(std::string_view name, const Labels& labels) const;
  /// Whether there is such a family, be it that no series of it was created yet.
  bool declares(std::string_view name) const;
  static constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";

  /// The zone's series, created with zeros at its first mention. The key may hold a NUL byte
  /// (spec/zones.md "Zone key"): it stays in the label, as upstream writes it and Prometheus reads
  /// it, so dashboards that match `zone="region:\x00:zone"` go on working. The reference holds
  /// until `keep_zones`.
  const ZoneMetrics& zone(std::string_view key);

  /// The gauges of all other zones leave. Their counters stay: a rate over the last scrapes would
  /// lose a zone's last evictions, and a zone that comes back goes on counting.
  void keep_zones(const std::function<bool(const std::string& key)>& is_there);

  /// Nobody follows the cluster any more (a cold standby that lost the lead): its zones' gauges
  /// leave, all others go to zero, and what is counted stays.
  void forget_cluster();

  Histogram node_health_duration() const;       ///< seconds for one node's judgement
  Histogram all_nodes_health_duration() const;  ///< seconds for a whole pass
  Histogram node_unknown_delay() const;         ///< seconds from the end of a node's grace
  Counter pod_deletions() const;
  Histogram pod_deletion_duration() const;  ///< seconds from a pod's deadline to its deletion

  ElectionMetrics election(std::string_view name);

  Gauge judgement_held(Hold reason) const;
  /// Nodes for which so much is paused: "evictions", "all".
  Gauge paused_nodes(std::string_view pause) const;
  /// How the operator's ConfigMap stands, of `policy_states`; in none, where that is not known.
  void set_policy(std::string_view state) const;
  Counter blind_seconds() const;
  Counter events_dropped() const;

  const QueueMetrics& queue(Queue name) const;

  /// `outcome`: "ok", or the name of the fault.
  Counter writes(Write kind, std::string_view outcome);
  /// Of another node-lifecycle or taint-eviction controller, seen while this process leads.
  Counter foreign_writes(Write kind) const;

  /// What a process that observes has compared: by kind of change and outcome, how much earlier
  /// ours would have been, and the causes of disagreements.
  Counter observed(std::string_view kind, std::string_view outcome);
  Histogram observed_lead(std::string_view kind);
  Counter observed_disagreements(std::string_view cause);

  ResourceMetrics resource(std::string_view name);
  /// `reason`: why the watch began anew; a closed set of its caller.
  Counter watch_restarts(std::string_view resource, std::string_view reason);

  /// Those that were answered so, or, with status 0, not at all (code "<error>", as upstream).
  Counter requests(std::string_view method, std::string_view host, int status);
  /// Seconds from the sending of a request to its answer, or to the end of waiting for one.
  Histogram request_duration(std::string_view method, std::string_view host);

 private:
  QueueMetrics new_queue(Queue name);

  std::unique_ptr<Families> families_;
  std::array<QueueMetrics, queues.size()> queues_;
  std::map<std::string, ZoneMetrics, std::less<>> zones_;
  std::map<std::string, ResourceMetrics, std::less<>> resources_;
};

}  // namespace nlc::metrics

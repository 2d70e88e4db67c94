#include "controller/options/unsafe_timings.h"

#include <algorithm>
#include <cmath>

#include "runtime/go_duration.h"

namespace nlc::controller {
namespace {

constexpr int heartbeats_needed = 3;

/// A kubelet notices after so long that its connection is dead: 30 s without a frame, and 15 s for
/// the answer to a ping (HTTP/2).
constexpr Duration dead_connection = std::chrono::seconds(45);

/// What was read of a node counts for 10 s, in which others ask for something as well.
constexpr double requests_needed = 0.5;

constexpr Duration shortest_retries = std::chrono::milliseconds(200);

std::string flag(std::string_view name, Duration value) {
  return "--" + std::string(name) + "=" + go_duration(value);
}

std::string grace_of(const Policy& policy) {
  return flag("node-monitor-grace-period", policy.monitor_grace);
}

std::string heartbeats_in(Duration span) {
  return std::to_string(span / heartbeat_period) +
         (span / heartbeat_period == 1 ? " heartbeat" : " heartbeats");
}

std::string percent(double share) {
  return std::to_string(static_cast<int>(std::lround(share * 100))) + "%";
}

void check_heartbeats(const Policy& policy, std::vector<Warning>& out) {
  if (policy.monitor_grace < heartbeats_needed * heartbeat_period) {
    out.push_back({"heartbeats-per-grace",
                   grace_of(policy) + " has room for " + heartbeats_in(policy.monitor_grace) +
                       " of a kubelet's lease (one every 10s): below 3 (30s) a single lost renewal "
                       "may mark a healthy node Unknown"});
  }
  if (policy.startup_grace < heartbeats_needed * heartbeat_period) {
    out.push_back({"heartbeats-per-startup-grace",
                   flag("node-startup-grace-period", policy.startup_grace) + " has room for " +
                       heartbeats_in(policy.startup_grace) +
                       " of a kubelet's status (one every 10s): below 3 (30s) a node that boots "
                       "slowly is marked Unknown before it ever reported"});
  }
}

void check_connection(const Policy& policy, std::vector<Warning>& out) {
  if (policy.monitor_grace >= dead_connection) return;
  out.push_back({"dead-connection",
                 grace_of(policy) +
                     " is shorter than the 45s after which a kubelet notices that its connection "
                     "is dead (30s, and 15s for a ping): a load balancer that loses connections "
                     "marks healthy nodes Unknown"});
}

void check_period(const Policy& policy, std::vector<Warning>& out) {
  if (policy.monitor_period <= policy.monitor_grace) return;
  out.push_back({"period-over-grace",
                 flag("node-monitor-period", policy.monitor_period) + " is longer than " +
                     grace_of(policy) +
                     ": nodes may fall silent and return between two looks at the zones"});
}

void check_timeout(const Policy& policy, std::vector<Warning>& out) {
  const std::string timeout = flag("pod-eviction-timeout", policy.pod_eviction_timeout);
  if (policy.evict_by_taints) {
    if (policy.pod_eviction_timeout == Policy{}.pod_eviction_timeout) return;
    out.push_back({"timeout-without-effect",
                   timeout +
                       " has no effect unless --enable-taint-manager=false: pods stay as long "
                       "as they tolerate their node's taints"});
  } else if (policy.monitor_grace > policy.pod_eviction_timeout) {
    out.push_back({"grace-over-eviction-timeout",
                   grace_of(policy) + " is longer than " + timeout +
                       ": pods are evicted in the moment in which their node is marked Unknown"});
  }
}

void check_rates(const Policy& policy, std::vector<Warning>& out) {
  if (policy.eviction_rate == 0) {
    out.push_back({"no-evictions", "--node-eviction-rate=0: no node is ever evicted"});
  } else if (policy.secondary_eviction_rate > policy.eviction_rate) {
    out.push_back({"secondary-rate-over-rate",
                   "--secondary-node-eviction-rate is greater than --node-eviction-rate: zones in "
                   "trouble are evicted faster than healthy ones"});
  }
}

void check_limit(double requests_per_second, std::vector<Warning>& out) {
  if (requests_per_second == 0 || requests_per_second >= requests_needed) return;
  out.push_back(
      {"requests-per-read",
       "--kube-api-qps below 0.5 lets fewer than 5 requests leave in 10s, and so long what "
       "was read of a node counts: it may be read again and again and never be written, "
       "so that dead nodes are not marked, nor their pods evicted"});
}

void check_retries(Duration retry_period, std::vector<Warning>& out) {
  if (retry_period >= shortest_retries) return;
  out.push_back(
      {"retries-per-second",
       flag("leader-elect-retry-period", retry_period) +
           " lets each replica read or write the lock more than five times a second; where "
           "it is shorter than an answer takes, as fast as the server answers"});
}

}  // namespace

std::vector<Warning> unsafe_timings(const Policy& policy, double requests_per_second,
                                    std::optional<Duration> retry_period) {
  std::vector<Warning> out;
  check_heartbeats(policy, out);
  check_connection(policy, out);
  check_period(policy, out);
  check_timeout(policy, out);
  check_rates(policy, out);
  check_limit(requests_per_second, out);
  if (retry_period) check_retries(*retry_period, out);
  return out;
}

std::optional<Warning> silent_stop(const Policy& policy, std::span<const int> zone_sizes) {
  const bool none_is_large = policy.secondary_eviction_rate == 0;
  const auto stops = [&](int size) {
    return size > 2 && (none_is_large || size <= policy.large_zone);
  };
  const auto count = std::ranges::count_if(zone_sizes, stops);
  if (count == 0 || policy.eviction_rate == 0) return std::nullopt;
  const std::string why = none_is_large ? "--secondary-node-eviction-rate=0"
                                        : "zones of at most --large-cluster-size-threshold=" +
                                              std::to_string(policy.large_zone) + " nodes";
  return Warning{"silent-stop", "evictions stop in " + std::to_string(count) + " of " +
                                    std::to_string(zone_sizes.size()) + " zones once " +
                                    percent(policy.unhealthy_zone_threshold) +
                                    " of their nodes (at least 3) are not ready: " + why};
}

}  // namespace nlc::controller

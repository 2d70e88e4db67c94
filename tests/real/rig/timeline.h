#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "audit.h"

namespace nlc::real {

/// Heartbeats that are read together are dated by their place (docs/decisions/0022): so much of a
/// grace may be missing where kubelets stall and go on together, as on a machine that others load.
constexpr Duration dated_to_within = std::chrono::milliseconds(150);

/// When what happened to one node that fell silent, by the API server's clock: read from the audit
/// log, so it is as exact as the server, and no test has to look in the right moment. Of each
/// action the time is that of the request. What did not happen is nothing.
struct Timeline {
  std::string node;
  std::optional<WallTime> last_renewal;    ///< of its lease, before it was called Unknown
  std::optional<WallTime> unknown;         ///< the controller's status PATCH
  std::optional<WallTime> no_schedule;     ///< the first PATCH with the taint
  std::optional<WallTime> no_execute;      ///< likewise
  std::optional<WallTime> pods_marked;     ///< the last of its pods got Ready False
  std::optional<WallTime> first_eviction;  ///< DELETE of a pod
  std::optional<WallTime> back;            ///< the first heartbeat afterwards, of either kind
  std::optional<WallTime> untainted;       ///< the last PATCH of its taints
};

/// `pods` are the names of all that stood on the node when it fell silent.
Timeline timeline_of(const std::string& node, const std::set<std::string>& pods,
                     const std::vector<AuditLine>& lines);

/// Names of the nodes whose status the controller wrote, each once.
std::vector<std::string> unknown_nodes(const std::vector<AuditLine>& lines);

/// Seconds from `from` to `to`; nothing when one of them did not happen.
std::optional<double> seconds_between(std::optional<WallTime> from, std::optional<WallTime> to);

/// The delays of all, as a table.
std::string delay_table(const std::vector<Timeline>& timelines);

}  // namespace nlc::real

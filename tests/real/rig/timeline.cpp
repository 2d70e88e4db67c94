#include "timeline.h"

#include <algorithm>

#include "report/text_table.h"

namespace nlc::real {
namespace {

bool renews(const AuditLine& line, const std::string& node) {
  return line.what == "leases" && line.space == "kube-node-lease" && line.name == node &&
         line.code < 300 &&
         (line.verb == "update" || line.verb == "patch" || line.verb == "create");
}

/// A heartbeat of either kind: the lease, or the kubelet's own word about its node.
bool is_heartbeat(const AuditLine& line, const std::string& node) {
  const bool posts = line.what == "nodes/status" && line.name == node && line.code < 300 &&
                     line.user != controller_account;
  return posts || renews(line, node);
}

bool is_ours(const AuditLine& line, const std::string& verb, const std::string& what) {
  return line.user == controller_account && line.code < 300 && line.verb == verb &&
         line.what == what;
}

/// The request's own words: which taint or condition a PATCH brings.
bool brings(const AuditLine& line, const std::string& word) {
  return line.body.dump().find(word) != std::string::npos;
}

template <typename Condition>
std::optional<WallTime> first_time(const std::vector<AuditLine>& lines, Condition condition) {
  const auto found = std::find_if(lines.begin(), lines.end(), condition);
  return found == lines.end() ? std::nullopt : std::optional(found->at);
}

template <typename Condition>
std::optional<WallTime> last_time(const std::vector<AuditLine>& lines, Condition condition) {
  const auto found = std::find_if(lines.rbegin(), lines.rend(), condition);
  return found == lines.rend() ? std::nullopt : std::optional(found->at);
}

}  // namespace

Timeline timeline_of(const std::string& node, const std::set<std::string>& pods,
                     const std::vector<AuditLine>& lines) {
  Timeline times{.node = node};
  const auto writes_node = [&node](const AuditLine& line, const std::string& what) {
    return is_ours(line, "patch", what) && line.name == node;
  };
  const auto tainted = [&](const std::string& effect) {
    return first_time(lines, [&](const AuditLine& line) {
      return writes_node(line, "nodes") && brings(line, "unreachable") && brings(line, effect);
    });
  };
  times.unknown =
      first_time(lines, [&](const AuditLine& line) { return writes_node(line, "nodes/status"); });
  if (!times.unknown) return times;

  const WallTime unknown = *times.unknown;
  times.last_renewal = last_time(
      lines, [&](const AuditLine& line) { return renews(line, node) && line.at < unknown; });
  times.no_schedule = tainted("NoSchedule");
  times.no_execute = tainted("NoExecute");
  times.pods_marked = last_time(lines, [&](const AuditLine& line) {
    return is_ours(line, "patch", "pods/status") && pods.count(line.name) == 1 &&
           brings(line, "\"Ready\"") && !brings(line, "DisruptionTarget");
  });
  times.first_eviction = first_time(lines, [&](const AuditLine& line) {
    return is_ours(line, "delete", "pods") && pods.count(line.name) == 1;
  });
  times.back = first_time(
      lines, [&](const AuditLine& line) { return is_heartbeat(line, node) && line.at > unknown; });
  if (!times.back) return times;
  times.untainted = last_time(lines, [&](const AuditLine& line) {
    return writes_node(line, "nodes") && line.at > *times.back;
  });
  return times;
}

std::vector<std::string> unknown_nodes(const std::vector<AuditLine>& lines) {
  std::set<std::string> names;
  for (const AuditLine& line : lines) {
    if (is_ours(line, "patch", "nodes/status")) names.insert(line.name);
  }
  return {names.begin(), names.end()};
}

std::optional<double> seconds_between(std::optional<WallTime> from, std::optional<WallTime> to) {
  if (!from || !to) return std::nullopt;
  return std::chrono::duration<double>(*to - *from).count();
}

std::string delay_table(const std::vector<Timeline>& timelines) {
  report::TextColumn nodes{.flush = report::Flush::Left, .least_width = 10};
  report::TextColumn whats{.flush = report::Flush::Left, .least_width = 46};
  report::TextColumn delays{.least_width = 10};
  const auto row = [&](const std::string& node, const std::string& what,
                       std::optional<double> seconds) {
    nodes.cells.push_back(node);
    whats.cells.push_back(what);
    delays.cells.push_back(seconds ? report::fixed(*seconds, 3) + " s" : "never");
  };
  for (const Timeline& times : timelines) {
    row(times.node, "last renewal -> Unknown", seconds_between(times.last_renewal, times.unknown));
    row(times.node, "Unknown -> NoSchedule taint",
        seconds_between(times.unknown, times.no_schedule));
    row(times.node, "Unknown -> NoExecute taint", seconds_between(times.unknown, times.no_execute));
    row(times.node, "Unknown -> last pod marked NotReady",
        seconds_between(times.unknown, times.pods_marked));
    row(times.node, "NoExecute taint -> first eviction",
        seconds_between(times.no_execute, times.first_eviction));
    row(times.node, "first heartbeat again -> last taint gone",
        seconds_between(times.back, times.untainted));
  }
  return report::text_table({nodes, whats, delays}, "  ");
}

}  // namespace nlc::real

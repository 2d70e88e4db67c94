#include "nlc/cluster/fleet_flags.h"

#include <string>

#include "runtime/flags.h"
#include "runtime/go_duration.h"

namespace nlc::workbench {

void fleet_flags(FlagGroup& group, FleetFlags& flags) {
  using namespace std::chrono_literals;
  group.number("--nodes", flags.nodes, "Hollow nodes", {1, 1'000'000});
  group.number("--pods-per-node", flags.pods_per_node, "Pods bound to each node", {0, 250});
  group.number("--zones", flags.zones, "Zones the nodes are dealt out to: zone-a, zone-b, …",
               {1, 1000});
  group.number("--node-lease-duration-seconds", flags.node_lease_duration_seconds,
               "Leases are renewed every quarter of it", {1, 86'400});
  group.duration("--node-status-update-frequency", flags.node_status_update_frequency,
                 "How often a node's status is computed", 100ms);
  group.duration("--node-status-report-frequency", flags.node_status_report_frequency,
                 "How often it is posted though nothing changed", 100ms);
  group.value("--toleration-seconds", "N", "",
              "How long pods tolerate a node that is not ready or unreachable; the server's "
              "default is 300",
              [&flags](const std::string& text) {
                flags.toleration_seconds = whole_number("--toleration-seconds", text, {0, 86'400});
              });
  group.number("--pod-changes", flags.pod_changes_per_second,
               "So many pods change their status each second, once all run", {0, 1'000'000});
  group.number("--kill", flags.kill, "Of the nodes, the first so many lose their power",
               {0, 1'000'000});
  group.text("--kill-zone", flags.kill_zone, "ZONE", "… and all nodes of this zone");
  group.duration("--after", flags.after, "… so long after all nodes and pods run", 0s);
  group.value("--revive-after", "DURATION", "",
              "… and get it back so long after that; without it, never",
              [&flags](const std::string& text) {
                flags.revive_after = duration_of_at_least(0s, "--revive-after", text);
              });
}

void report_flags(FlagGroup& group, ReportFlags& flags) {
  group.text("--report", flags.file, "FILE",
             "Watch what the controller does about the nodes that lost their power: a line of JSON "
             "for each");
  group.duration("--node-monitor-grace-period", flags.grace,
                 "The controller's: the report counts from its end", std::chrono::seconds(1));
}

void check(const FleetFlags& flags) {
  if (flags.kill > flags.nodes) {
    refuse_flag("--kill", std::to_string(flags.kill),
                "at most --nodes can lose their power, and that is " + std::to_string(flags.nodes));
  }
  if (flags.revive_after && flags.kill == 0 && flags.kill_zone.empty()) {
    refuse_flag("--revive-after", go_duration(*flags.revive_after),
                "must be given together with --kill or --kill-zone, for without them no node loses "
                "its power");
  }
  if (flags.kill_zone.empty() || names_a_zone(flags, flags.kill_zone)) return;
  refuse_flag("--kill-zone", flags.kill_zone,
              "must be a zone that has nodes: zone-a, zone-b, … as many as --zones");
}

}  // namespace nlc::workbench

# The dashboard for Grafana: `make manifests` writes chart/files/dashboard.json from it. tests/real asks each of its queries
# of a Prometheus that has scraped a cluster in which nodes died.

def mine: "{job=~\"$job\"}";
def mine($labels): "{job=~\"$job\",\($labels)}";
def per_second($metric): "rate(\($metric)[$__rate_interval])";
def per_minute($metric): "60 * \(per_second($metric))";
def quantile($share; $metric): "histogram_quantile(\($share), sum by (le) (\(per_second($metric + "_bucket" + mine))))";

# A zone label reads region, colon, NUL, colon, zone.
def zones: "label_replace(\(.), \"zone\", \"$1/$2\", \"zone\", \"(.*):\\\\x00:(.*)\")";

def query($legend; $expr): {expr: $expr, legendFormat: $legend};

def graph($title; $unit; $says; $queries):
  {type: "timeseries", title: $title, description: $says, targets: $queries,
   fieldConfig: {defaults: {unit: $unit, min: 0}, overrides: []},
   options: {tooltip: {mode: "multi"}, legend: {displayMode: "list", placement: "bottom"}}};

def stacked: .fieldConfig.defaults.custom = {stacking: {mode: "normal"}, fillOpacity: 20};

def step($color; $value): {color: $color, value: $value};
def steps($steps): .fieldConfig.defaults.thresholds = {mode: "absolute", steps: $steps};

# `$values`: what stands for 0, 1, 2 …: [[text, colour], …].
def states($title; $says; $values; $queries):
  {type: "state-timeline", title: $title, description: $says, targets: $queries,
   fieldConfig: {overrides: [], defaults: {mappings: [{type: "value", options:
     ([$values | to_entries[] | {key: "\(.key)", value: {text: .value[0], color: .value[1]}}] | from_entries)}]}},
   options: {showValue: "never", legend: {displayMode: "list", placement: "bottom"}}};

def number($title; $says; $steps; $query):
  {type: "stat", title: $title, description: $says, targets: [$query],
   fieldConfig: {defaults: {}, overrides: []}, options: {reduceOptions: {calcs: ["lastNotNull"]}}} | steps($steps);

[
  {title: "Leader", panels: [
    number("Leaders"; "One leads. None: nobody judges silent nodes. Two: they do not share one lock.";
      [step("red"; null), step("green"; 1), step("red"; 2)];
      query("leaders"; "sum(leader_election_master_status\(mine))")),
    states("Who leads"; "A warm standby takes over with all that it knows of heartbeats.";
      [["stands by", "blue"], ["leads", "green"]];
      [query("{{instance}}"; "max by (instance) (leader_election_master_status\(mine))")]),
    graph("Renewals of the lease"; "s"; "A try ends after a third of the renew deadline (10 s unless it is set), leadership with that deadline.";
      [query("p50"; quantile(0.5; "nlc_election_renewal_duration_seconds")),
       query("p99"; quantile(0.99; "nlc_election_renewal_duration_seconds"))])]},

  {title: "Zones", panels: [
    states("State"; "In partial disruption evictions are slowed down or stopped; with all zones in full disruption they are stopped.";
      [["Normal", "green"], ["PartialDisruption", "orange"], ["FullDisruption", "red"]];
      [query("{{zone}}"; "max by (zone) (nlc_zone_state\(mine("state=\"PartialDisruption\"")) or 2 * nlc_zone_state\(mine("state=\"FullDisruption\"")))" | zones)]),
    graph("Nodes"; "short"; "As the controller has them in its memory.";
      [query("{{zone}}"; "max by (zone) (node_collector_zone_size\(mine))" | zones)]),
    graph("Nodes not ready"; "short"; "Silent ones, and those whose kubelet says so.";
      [query("{{zone}}"; "max by (zone) (node_collector_unhealthy_nodes_in_zone\(mine))" | zones)])]},

  {title: "Queue and evictions", panels: [
    graph("Nodes that wait for their NoExecute taint"; "short"; "A zone grants taints at its eviction rate.";
      [query("{{zone}}"; "max by (zone) (nlc_zone_eviction_queue\(mine))" | zones)]),
    graph("Nodes tainted NoExecute per minute"; "short"; "At most 60 times the eviction rate.";
      [query("{{zone}}"; "sum by (zone) (\(per_minute("node_collector_evictions_total" + mine)))" | zones)]),
    graph("Pods evicted per minute"; "short"; "Deleted because their tolerations ran out.";
      [query("pods"; "sum(\(per_minute("taint_eviction_controller_pod_deletions_total" + mine)))")])]},

  {title: "Delays", panels: [
    graph("Nodes called Unknown after their grace ended"; "s"; "How late, time in which the API server took no writes left out.";
      [query("p50"; quantile(0.5; "nlc_node_unknown_delay_seconds")),
       query("p99"; quantile(0.99; "nlc_node_unknown_delay_seconds"))]),
    graph("Pods deleted after their toleration ran out"; "s"; "How late; the longest of a back-off is seen in p99.";
      [query("p50"; quantile(0.5; "taint_eviction_controller_pod_deletion_duration_seconds")),
       query("p99"; quantile(0.99; "taint_eviction_controller_pod_deletion_duration_seconds"))]),
    graph("Writes, from request to answer"; "s"; "Of nodes, of pods that become NotReady, of evictions.";
      [query("{{name}} p99"; "histogram_quantile(0.99, sum by (name, le) (\(per_second("workqueue_work_duration_seconds_bucket" + mine))))")]),
    graph("Writes that wait"; "short"; "For their turn, or for the end of a back-off.";
      [query("{{name}}"; "sum by (name) (workqueue_depth\(mine))")]),
    graph("Monitor pass"; "s"; "A look at all nodes.";
      [query("p99"; quantile(0.99; "node_collector_update_all_nodes_health_duration_seconds"))])]},

  {title: "Judgement", panels: [
    states("Held"; "While what is seen of silent nodes is not trusted. server_paused and version_rewound hold every node.";
      [["judges", "green"], ["held", "orange"]];
      [query("{{reason}}"; "max by (reason) (nlc_judgement_held\(mine))")]),
    graph("Paused nodes"; "short"; "By the operator: evictions, or all writes.";
      [query("{{pause}}"; "max by (pause) (nlc_paused_nodes\(mine))")]),
    states("Operator's policy"; "How its ConfigMap stands. unread, malformed and forbidden: what it says is not known.";
      [["no", "blue"], ["yes", "green"]];
      [query("{{state}}"; "max by (state) (nlc_policy_state\(mine))")]),
    graph("Blind"; "percentunit"; "Share of time in which nothing proved that the API server takes writes.";
      [query("{{instance}}"; "max by (instance) (\(per_second("nlc_blind_seconds_total" + mine)))")]),
    graph("Writes of others"; "short"; "In a quarter of an hour, by another controller of the kind. Any is one too many.";
      [query("{{kind}}"; "sum by (kind) (increase(nlc_foreign_writes_total\(mine)[15m]))")]),
    graph("Last news"; "s"; "Since an event, bookmark or list. Bookmarks come once a minute.";
      [query("{{resource}} {{instance}}"; "max by (resource, instance) (nlc_informer_seconds_since_progress\(mine))")]),
    (graph("Changes of the cluster per second"; "short"; "By kind and outcome.";
      [query("{{kind}} {{outcome}}"; "sum by (kind, outcome) (\(per_second("nlc_writes_total" + mine)))")]) | stacked),
    graph("Refused and failed requests per second"; "short"; "409 is a heartbeat that came first; 401 and 403 are rights that are missing, 422 is a policy that says no.";
      [query("{{code}}"; "sum by (code) (\(per_second("rest_client_requests_total" + mine("code!~\"2..\""))))")])]},

  {title: "Cost", panels: [
    graph("CPU"; "percentunit"; "Of one core.";
      [query("{{instance}}"; "max by (instance) (\(per_second("process_cpu_seconds_total" + mine)))")]),
    graph("Memory"; "bytes"; "Resident.";
      [query("{{instance}}"; "max by (instance) (process_resident_memory_bytes\(mine))")]),
    graph("CPU for each event"; "s"; "Of nodes, leases and pods. Nearly all are renewals of leases.";
      [query("{{instance}}"; "sum by (instance) (\(per_second("process_cpu_seconds_total" + mine))) / sum by (instance) (\(per_second("nlc_watch_events_total" + mine)))")]),
    graph("Events per second"; "short"; "";
      [query("{{resource}} {{instance}}"; "sum by (resource, instance) (\(per_second("nlc_watch_events_total" + mine)))")]),
    graph("Requests per second"; "short"; "";
      [query("{{method}} {{instance}}"; "sum by (method, instance) (\(per_second("rest_client_requests_total" + mine)))")]),
    graph("Requests, from sending to answer"; "s"; "Of each verb the slowest in a hundred. Watches are not timed.";
      [query("{{verb}} p99"; "histogram_quantile(0.99, sum by (verb, le) (\(per_second("rest_client_request_duration_seconds_bucket" + mine))))")]),
    graph("Objects in memory"; "short"; "";
      [query("{{resource}}"; "max by (resource) (nlc_store_objects\(mine))")])]}
]

| {type: "prometheus", uid: "${datasource}"} as $source
| [.[] | {type: "row", title, collapsed: false, panels: []}, .panels[]]
# Three to a line; a row's title takes a line of its own.
| reduce .[] as $panel ({x: 0, y: 0, panels: []};
    (if $panel.type == "row" or .x == 24 then .y += (if .x > 0 then 8 else 0 end) | .x = 0 else . end)
    | ($panel.type == "row") as $title
    | .panels += [{id: (.panels | length + 1)} + $panel
        + {gridPos: {x, y, w: (if $title then 24 else 8 end), h: (if $title then 1 else 8 end)}}
        + if $title then {} else
            {datasource: $source,
             targets: [$panel.targets | to_entries[] | .value + {refId: ("ABCDEF"[.key:.key + 1]), datasource: $source}]}
          end]
    | if $title then .y += 1 else .x += 8 end)
| .panels
| {
    uid: "node-lifecycle-controller", title: "Node lifecycle", tags: ["kubernetes"],
    schemaVersion: 39, editable: true, refresh: "30s", time: {from: "now-6h", to: "now"},
    templating: {list: [
      {name: "datasource", type: "datasource", query: "prometheus"},
      {name: "job", type: "query", datasource: $source, query: "label_values(nlc_build_info, job)", refresh: 2,
       includeAll: true, multi: true, current: {text: "All", value: "$__all"}}]},
    panels: .}
# One panel a line: a change shows where it is.
| "{",
  (del(.panels) | to_entries[] | "  \(.key | tojson): \(.value | tojson),"),
  "  \"panels\": [",
  ([.panels[] | "    " + tojson] | join(",\n")),
  "  ]\n}"

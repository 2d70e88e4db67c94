#include "sim/scenario/gantt.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "api/decode.h"
#include "controller/zones/zone.h"
#include "report/node_observer.h"
#include "runtime/go_duration.h"
#include "sim/scenario/gantt_rows.h"
#include "sim/scenario/viewing.h"

namespace nlc::sim::scenario {
namespace {

using report::Gantt;
using report::GanttBar;
using report::GanttGroup;
using report::GanttMark;
using report::GanttRow;
using report::Happening;
using report::Moment;
using report::Shape;
using Level = report::GanttBar::Level;

/// A bar that has begun, in the row of one thing.
class OpenBars {
 public:
  /// From now on it is as `key` says; empty: there is none.
  void set(std::vector<GanttBar>& bars, const std::string& key, GanttBar bar, Duration now) {
    if (open_ && key_ == key) return;
    close(bars, now);
    key_ = key;
    if (key.empty()) return;
    bar.from = now;
    open_ = std::move(bar);
  }
  void close(std::vector<GanttBar>& bars, Duration now) {
    if (!open_) return;
    open_->until = now;
    open_->words += ", " + span_text(open_->from, now);
    if (now > open_->from) bars.push_back(*open_);
    open_.reset();
  }

 private:
  std::string key_;
  std::optional<GanttBar> open_;
};

struct NodeRow {
  GanttRow row;
  std::string zone;
  OpenBars ready;
  OpenBars no_schedule;
  OpenBars no_execute;
  std::map<std::pair<Duration, Moment>, std::size_t> pods;
  std::optional<Duration> touched;  ///< when something happened to it first

  void finish(Duration end) {
    for (OpenBars* bars : {&ready, &no_schedule, &no_execute}) bars->close(row.bars, end);
    for (const auto& [what, count] : pods) row.marks.push_back(mark_of(what, count));
  }

 private:
  static GanttMark mark_of(const std::pair<Duration, Moment>& what, std::size_t count) {
    const bool leaves = what.second == Moment::PodMarked;
    return {.at = what.first,
            .shape = leaves ? Shape::Cross : Shape::TriangleDown,
            .colour = colours::pods,
            .words = std::to_string(count) + (count == 1 ? " pod " : " pods ") +
                     (leaves ? "deleted" : "NotReady") + " at " + go_duration(what.first)};
  }
};

struct ReplicaRow {
  GanttRow row;
  OpenBars runs;
  OpenBars leads;
};

class GanttRecorder final : public Onlooker {
 public:
  void on_heartbeat(const HeartbeatSent& heartbeat) override {
    GanttRow& row = nodes_[heartbeat.node].row;
    (heartbeat.arrived ? row.ticks : row.lost_ticks).push_back(heartbeat.at - origin_);
  }
  void on_write(const SentRequest&, const Storage&) override {}

  void begin(Stage& stage) {
    origin_ = stage.origin();
    stage.show_to(*this);
    look(stage);
  }

  void look(const Stage& stage) {
    now_ = stage.offset();
    look_at_replicas(stage.replicas());
    const Storage& storage = stage.storage();
    if (storage.version() == version_) return;
    const Resource& nodes = core_resource("nodes");
    const Resource& pods = core_resource("pods");
    const bool anew = storage.version() < version_ || storage.history_start(nodes) > version_ ||
                      storage.history_start(pods) > version_;
    if (anew) {
      look_at_all(storage);
    } else {
      storage.visit_history(nodes, version_, [this](const HistoryEvent& event) { on_node(event); });
      storage.visit_history(pods, version_, [this](const HistoryEvent& event) { on_pod(event); });
    }
    version_ = storage.version();
  }

  std::vector<GanttGroup> finish(Duration end) {
    std::vector<GanttGroup> groups{{.name = "controller", .rows = {}}};
    for (auto& [name, replica] : replicas_) {
      replica.runs.close(replica.row.bars, end);
      replica.leads.close(replica.row.bars, end);
      replica.row.name = name.empty() ? "the only replica" : name;
      groups.front().rows.push_back(std::move(replica.row));
    }
    for (auto& [name, node] : nodes_) {
      node.finish(end);
      node.row.name = name;
    }
    add_nodes(groups);
    return groups;
  }

 private:
  void look_at_replicas(const Replicas& replicas) {
    const std::vector<std::string> running = replicas.running();
    const std::vector<std::string> leaders = replicas.leaders();
    for (const std::string& name : running) replicas_[name];
    for (auto& [name, replica] : replicas_) {
      const std::string who = name.empty() ? "" : name + " ";
      const bool runs = std::ranges::count(running, name) > 0;
      const bool leads = std::ranges::count(leaders, name) > 0;
      const std::string life = runs ? "life " + go_duration(replicas.began(name)) : "";
      replica.runs.set(replica.row.bars, life,
                       {.level = Level::Line, .colour = colours::runs, .words = who + "runs"},
                       now_);
      replica.leads.set(
          replica.row.bars, leads ? life : "",
          {.level = Level::Block, .colour = colours::leads, .words = who + "may write"}, now_);
    }
  }

  void look_at_all(const Storage& storage) {
    std::set<std::string> there;
    storage.visit(core_resource("nodes"), {"", "", 0}, [&](const ObjectRef& node) {
      there.insert(node->key);
      on_node({.change = Change::Added, .at = {}, .object = node, .previous = nullptr});
      return true;
    });
    for (auto& [name, node] : nodes_) {
      if (!there.contains(name)) leave(node);
    }
  }

  void leave(NodeRow& node) const {
    for (OpenBars* bars : {&node.ready, &node.no_schedule, &node.no_execute}) {
      bars->set(node.row.bars, "", {}, now_);
    }
  }

  void on_node(const HistoryEvent& event) {
    const Result<api::Node> read = api::Decoder<api::Node>().object(event.object->bytes);
    if (!read) return;
    NodeRow& node = nodes_[read->name];
    node.zone = controller::zone_name(controller::zone_key(*read));
    if (event.change == Change::Deleted) return leave(node);
    const report::NodeFacts facts = report::facts_of(*read);
    show_ready(node, facts);
    show_taint(node.no_schedule, node, facts.no_schedule,
               {.level = Level::Under, .colour = colours::no_schedule, .words = "NoSchedule"});
    show_taint(node.no_execute, node, facts.no_execute,
               {.level = Level::UnderBig, .colour = colours::no_execute, .words = "NoExecute"});
  }

  void show_ready(NodeRow& node, const report::NodeFacts& facts) const {
    using api::ConditionStatus;
    const ConditionStatus ready = facts.ready.value_or(ConditionStatus::Unknown);
    if (ready == ConditionStatus::True) {
      return node.ready.set(node.row.bars, "True",
                            {.level = Level::Line, .colour = colours::ready, .words = "Ready"},
                            now_);
    }
    touch(node);
    const bool unknown = ready == ConditionStatus::Unknown;
    node.ready.set(node.row.bars, unknown ? "Unknown" : "False",
                   {.level = Level::Block,
                    .colour = unknown ? colours::unknown : colours::not_ready,
                    .words = unknown ? "Ready is Unknown" : "Ready is False"},
                   now_);
  }

  void show_taint(OpenBars& bars, NodeRow& node, bool there, GanttBar bar) const {
    if (there) touch(node);
    bars.set(node.row.bars, there ? bar.words : "", bar, now_);
  }

  void touch(NodeRow& node) const {
    if (!node.touched) node.touched = now_;
  }

  void on_pod(const HistoryEvent& event) {
    api::Decoder<api::Pod> decoder;
    const Result<api::Pod> pod = decoder.object(event.object->bytes);
    if (!pod || !event.previous) return;
    const Result<api::Pod> before = decoder.object(event.previous->bytes);
    if (!before) return;
    if (event.change == Change::Deleted) return observer_.on_pod_gone(*before, origin_ + now_);
    observer_.on_pod(*pod, &*before, origin_ + now_);
  }

  void on(const Happening& happening) {
    if (happening.moment != Moment::PodMarked && happening.moment != Moment::PodNotReady) return;
    NodeRow& node = nodes_[happening.node];
    touch(node);
    ++node.pods[{now_, happening.moment}];
  }

  using Named = std::pair<const std::string, NodeRow>;

  /// Those that are shown, by zones.
  void add_nodes(std::vector<GanttGroup>& groups) {
    std::vector<Named*> shown;
    for (Named& node : nodes_) shown.push_back(&node);
    if (shown.size() > nodes_max) {
      std::ranges::stable_sort(shown, {}, [](const Named* node) {
        return node->second.touched.value_or(Duration::max());
      });
      shown.resize(nodes_max);
    }
    std::ranges::stable_sort(shown, [](const Named* left, const Named* right) {
      if (left->second.zone != right->second.zone) return left->second.zone < right->second.zone;
      // "node-2" before "node-10".
      return ::strverscmp(left->first.c_str(), right->first.c_str()) < 0;
    });
    for (Named* node : shown) {
      const std::string& name = node->second.zone;
      const std::string zone = name == "-" ? "nodes without a zone" : "zone " + name;
      if (groups.back().name != zone) groups.push_back({.name = zone, .rows = {}});
      groups.back().rows.push_back(std::move(node->second.row));
    }
    if (nodes_.size() > shown.size()) {
      groups.push_back({.name = std::to_string(shown.size()) + " of " +
                                std::to_string(nodes_.size()) +
                                " nodes are shown: the first to which something happened",
                        .rows = {}});
    }
  }

  Instant origin_;
  Duration now_{0};
  std::uint64_t version_ = 0;
  std::map<std::string, NodeRow, std::less<>> nodes_;
  std::map<std::string, ReplicaRow> replicas_;
  report::NodeObserver observer_{[this](const Happening& happening) { on(happening); }};
};

}  // namespace

Result<Gantt> gantt_of(const Scenario& scenario, const Settings& flags, const Outcome& outcome) {
  GanttRecorder recorder;
  const Duration end = end_of(scenario);
  const auto refused = view(scenario, {.flags = flags,
                                       .seed = scenario.seed,
                                       .begin = [&](Stage& stage) { recorder.begin(stage); },
                                       .look = [&](const Stage& stage) { recorder.look(stage); }});
  if (refused) return Error(*refused);
  Gantt gantt{.title = scenario.id + ": " + scenario.title,
              .finding = finding_of(scenario, outcome, flags),
              .end = end,
              .groups = {steps_of(scenario, end)},
              .keys = keys_of_gantt()};
  std::ranges::move(recorder.finish(end), std::back_inserter(gantt.groups));
  GanttGroup expectations = expectations_of(scenario, outcome);
  if (!expectations.rows.empty()) gantt.groups.push_back(std::move(expectations));
  return gantt;
}

}  // namespace nlc::sim::scenario

#include "nlc/demo/stage.h"

#include <algorithm>

#include "runtime/go_duration.h"

namespace nlc::workbench {
namespace {

using namespace std::chrono_literals;

constexpr Duration look_period = 100ms;
/// The controller follows nodes, leases and pods.
constexpr std::size_t watches_of_controller = 3;
/// Renewals come every 2 s; each node's has to be seen before the power is cut.
constexpr Duration settling = 4s;
constexpr Duration after_eviction = 2s;
constexpr Duration quiet_end = 4s;

sim::HollowClusterOptions cluster_of(const DemoPlan& plan, ObserverWatch& watch) {
  sim::HollowClusterOptions options;
  options.nodes = static_cast<std::uint32_t>(plan.nodes);
  options.zones = demo_zones;
  options.workload.pods_per_node = static_cast<std::uint32_t>(plan.pods_per_node);
  options.workload.toleration = std::chrono::floor<std::chrono::seconds>(plan.toleration);
  options.kubelet.lease_duration = plan.grace;
  options.kubelet.pods.start = 200ms;
  options.boot_span = 1s;
  options.pods_watcher = &watch;
  return options;
}

/// Where the controller says that its page is; empty where it could not have a port.
std::string address_in(const std::vector<std::string>& log) {
  constexpr std::string_view before = "msg=\"serving status\" address=";
  for (const std::string& line : log) {
    const std::size_t found = line.find(before);
    if (found != line.npos) return line.substr(found + before.size());
  }
  return {};
}

}  // namespace

DemoStage::DemoStage(Embedded& embedded, Setting setting)
    : embedded_(embedded),
      setting_(std::move(setting)),
      entered_(embedded.clock.now()),
      timeline_({.start = embedded.clock.now(), .coloured = setting_.coloured},
                [this](Moment moment, const std::vector<std::string>& nodes) {
                  return remark(moment, nodes);
                }),
      story_([this](const Happening& happening) { timeline_.add(happening); }),
      watch_(embedded.env(), story_),
      cluster_(embedded.env(), cluster_of(setting_.plan, watch_)) {
  tell("cluster", std::to_string(setting_.plan.nodes) + " hollow nodes in 3 zones, " +
                      std::to_string(setting_.plan.pods_per_node) +
                      " pods each, boot behind http://" + embedded_.port->address());
  look();
}

void DemoStage::look() {
  const Instant now = embedded_.clock.now();
  for (const std::string& line : timeline_.take_lines(now)) say(line);
  advance();
  if (setting_.coloured) show_waiting(now);
  next_ = embedded_.loop.run_at(now + look_period, [this] { look(); });
}

void DemoStage::advance() {
  const bool lost = controller_ && step_ != Step::Ending && controller_->exit_code();
  if (lost && step_ != Step::Kept) return fail("the controller ended by itself");
  switch (step_) {
    case Step::Booting:
      if (cluster_.progress().complete) return start_controller();
      if (waited(30s)) fail("the cluster did not come up: " + cluster_.trouble());
      return;
    case Step::Attaching:
      if (embedded_.server.watch_count() >= watches_before_ + watches_of_controller) {
        return watch_cluster();
      }
      if (waited(20s)) fail("the controller did not begin to watch the cluster");
      return;
    case Step::Settling:
      if (waited(settling)) cut_power();
      return;
    case Step::Silence:
      if (all_evicted() || waited(setting_.plan.grace + setting_.plan.toleration + 15s)) {
        restore_power();
      }
      return;
    case Step::Healing:
      if (healed() || waited(10s)) enter(Step::Resting);
      return;
    case Step::Resting:
      if (waited(quiet_end)) conclude();
      return;
    case Step::Ending:
      return end_controller();
    case Step::Kept:
      return;
  }
}

void DemoStage::enter(Step step) {
  step_ = step;
  entered_ = embedded_.clock.now();
}

bool DemoStage::waited(Duration span) const { return embedded_.clock.now() - entered_ >= span; }

void DemoStage::show_waiting(Instant now) const {
  const bool waits = step_ >= Step::Settling && step_ <= Step::Resting;
  show_progress(waits ? waiting_text(story_, setting_.plan, awaited(), now) : "");
}

Awaited DemoStage::awaited() const {
  switch (step_) {
    case Step::Settling:
      return {std::to_string(setting_.plan.victims.size()) + " machines lose their power",
              entered_ + settling};
    case Step::Silence:
      return awaited_in_silence(story_, setting_.plan);
    case Step::Healing:
      return {setting_.plan.survivor + " is Ready again, without taints and without its pods"};
    case Step::Resting:
      return {"the end, if until then nothing happens that should not", entered_ + quiet_end};
    default:
      return {};
  }
}

void DemoStage::start_controller() {
  const DemoPlan& plan = setting_.plan;
  watches_before_ = embedded_.server.watch_count();
  Result<ChildProcess> child = ChildProcess::start(
      {.words = {setting_.controller, "--kubeconfig=" + kubeconfig(), "--leader-elect=false",
                 "--metrics-bind-address=127.0.0.1:0", "--status-bind-address=127.0.0.1:0",
                 "--node-eviction-rate=1", "--node-monitor-grace-period=" + go_duration(plan.grace),
                 "--node-monitor-period=" + go_duration(plan.monitor_period)},
       .output = output()});
  if (!child) return fail("the controller cannot be started: " + child.error().path);
  controller_.emplace(std::move(*child));
  tell("controller", setting_.controller + " starts, its output goes to " + output());
  tell("", "grace " + go_duration(plan.grace) + ", monitor period " +
               go_duration(plan.monitor_period) + ", 1 taint a second and zone, pods tolerate " +
               go_duration(plan.toleration));
  enter(Step::Attaching);
}

void DemoStage::watch_cluster() {
  tell("", "it watches nodes, leases and pods; so does this demonstration");
  if (const std::string address = address_in(last_lines(output(), 100)); !address.empty()) {
    tell("page", "see it live at http://" + address + "/");
  }
  watch_.open();
  enter(Step::Settling);
}

void DemoStage::cut_power() {
  start_ = {.ready_nodes = story_.nodes_ready(), .ready_pods = story_.pods_ready()};
  tell("", std::to_string(start_.ready_nodes) + " nodes and " + std::to_string(start_.ready_pods) +
               " pods are Ready; now " + std::to_string(setting_.plan.victims.size()) +
               " machines lose their power");
  const Instant now = embedded_.clock.now();
  cluster_.kill(static_cast<std::uint32_t>(setting_.plan.victims.size()));
  for (const std::string& node : setting_.plan.victims) story_.power_cut(node, now);
  enter(Step::Silence);
}

void DemoStage::restore_power() {
  cluster_.revive(1);
  story_.power_back(setting_.plan.survivor, embedded_.clock.now());
  enter(Step::Healing);
}

void DemoStage::conclude() {
  verdict_ = judge(story_, setting_.plan, start_);
  if (watch_.gaps() > 0)
    verdict_.push_back({"the demonstration saw everything", false, "a watch broke"});
  if (setting_.keep) {
    print_verdict();
    say("");
    say("cluster and controller go on; try:  kubectl --kubeconfig " + kubeconfig() + " get nodes");
    say("Ctrl-C ends them");
    return enter(Step::Kept);
  }
  controller_->ask_to_end();
  enter(Step::Ending);
}

void DemoStage::end_controller() {
  if (!controller_->exit_code() && !waited(2s)) return;
  if (setting_.keep) return embedded_.loop.stop();  // the verdict has been told already
  const std::optional<int> code = controller_->exit_code();
  verdict_.push_back({"the controller ended cleanly within 2 s of SIGTERM", code == 0,
                      code ? "exit code " + std::to_string(*code) : "it did not end"});
  print_verdict();
  embedded_.loop.stop();
}

void DemoStage::fail(const std::string& why) {
  complain(why);
  for (const std::string& line : last_lines(output(), 10)) complain("  " + line);
  embedded_.loop.stop();
  exit_code_ = 1;
}

void DemoStage::on_signal() {
  if (step_ != Step::Kept) {
    complain("interrupted");
    return embedded_.loop.stop();
  }
  controller_->ask_to_end();
  enter(Step::Ending);
}

bool DemoStage::all_evicted() const {
  return std::ranges::all_of(setting_.plan.victims, [this](const std::string& node) {
    const std::optional<Instant> last = story_.of(node).last(Moment::PodMarked);
    return story_.of(node).count(Moment::PodMarked) == story_.of(node).pods && last &&
           embedded_.clock.now() - *last >= after_eviction;
  });
}

bool DemoStage::healed() const {
  const std::string& node = setting_.plan.survivor;
  return story_.of(node).count(Moment::TaintsGone) > 0 &&
         story_.of(node).count(Moment::Ready) > 0 &&
         story_.of(node).count(Moment::PodGone) == story_.of(node).pods;
}

std::string DemoStage::remark(Moment moment, const std::vector<std::string>& nodes) const {
  const auto since_first = [&](std::string_view what, Moment begin) {
    return since(what, nodes, moment,
                 [&](const report::NodeRecord& record) { return record.first(begin); });
  };
  if (moment == Moment::PowerCut || moment == Moment::Unknown) {
    return since("the last renewal", nodes, moment,
                 [](const report::NodeRecord& record) { return record.heartbeat_before_cut; });
  }
  if (moment == Moment::PodMarked) return since_first("NoExecute", Moment::NoExecute);
  if (moment == Moment::Ready || moment == Moment::TaintsGone) {
    return since_first("the power came back", Moment::PowerBack);
  }
  return {};
}

std::string DemoStage::since(
    std::string_view what, const std::vector<std::string>& nodes, Moment moment,
    const std::function<std::optional<Instant>(const report::NodeRecord&)>& begin) const {
  std::vector<Duration> delays;
  for (const std::string& node : nodes) {
    const std::optional<Instant> from = begin(story_.of(node));
    const std::optional<Instant> to = story_.of(node).first(moment);
    if (from && to) delays.push_back(*to - *from);
  }
  if (delays.empty()) return {};
  const auto [low, high] = std::ranges::minmax(delays);
  const std::string least = seconds_text(low, 1);
  const std::string most = seconds_text(high, 1);
  return (least == most ? least : least + " … " + most) + " after " + std::string(what);
}

void DemoStage::tell(std::string_view what, std::string_view text, Ink ink) {
  say(timeline_.line(embedded_.clock.now(), what, text, ink));
}

void DemoStage::print_verdict() {
  for (const std::string& line : timeline_.take_lines(Instant::max())) say(line);
  say("");
  say(table_of(measure(story_, setting_.plan)));
  bool all_met = true;
  for (const Expectation& expectation : verdict_) {
    all_met = all_met && expectation.met;
    const std::string mark = expectation.met ? inked("ok    ", Ink::Green, setting_.coloured)
                                             : inked("FAILED", Ink::Red, setting_.coloured);
    say("  " + mark + "  " + expectation.text +
        (expectation.met || expectation.remark.empty() ? "" : " (" + expectation.remark + ")"));
  }
  exit_code_ = all_met ? 0 : 1;
}

}  // namespace nlc::workbench

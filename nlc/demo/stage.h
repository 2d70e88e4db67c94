#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nlc/cluster/embedded.h"
#include "nlc/cluster/observer_watch.h"
#include "nlc/console/child.h"
#include "nlc/demo/timeline.h"
#include "nlc/demo/verdict.h"
#include "nlc/demo/waiting.h"

namespace nlc::workbench {

/// Plays the demonstration: looks ten times a second how far things have come, takes the next step
/// when it is time, prints what happened meanwhile.
class DemoStage {
 public:
  struct Setting {
    DemoPlan plan;
    std::string controller;  ///< the program
    std::string directory;   ///< for the kubeconfig and the controller's output
    bool coloured = false;
    bool keep = false;
  };

  DemoStage(Embedded& embedded, Setting setting);
  DemoStage(const DemoStage&) = delete;
  DemoStage& operator=(const DemoStage&) = delete;

  /// Asked by a signal: an unfinished demonstration has failed.
  void on_signal();
  int exit_code() const { return exit_code_; }

 private:
  enum class Step { Booting, Attaching, Settling, Silence, Healing, Resting, Ending, Kept };

  void look();
  void advance();
  void enter(Step step);
  bool waited(Duration span) const;
  void show_waiting(Instant now) const;
  Awaited awaited() const;

  void start_controller();
  void watch_cluster();
  void cut_power();
  void restore_power();
  void conclude();
  void end_controller();
  void fail(const std::string& why);

  bool all_evicted() const;
  bool healed() const;
  std::string remark(Moment moment, const std::vector<std::string>& nodes) const;
  std::string since(
      std::string_view what, const std::vector<std::string>& nodes, Moment moment,
      const std::function<std::optional<Instant>(const report::NodeRecord&)>& begin) const;
  std::string kubeconfig() const { return setting_.directory + "/kubeconfig"; }
  std::string output() const { return setting_.directory + "/controller.log"; }
  void tell(std::string_view what, std::string_view text, Ink ink = Ink::Bold);
  void print_verdict();

  Embedded& embedded_;
  const Setting setting_;
  Step step_ = Step::Booting;
  Instant entered_;
  int exit_code_ = 1;
  std::size_t watches_before_ = 0;
  DemoStart start_;
  DemoTimeline timeline_;
  report::NodeObserver story_;
  std::vector<Expectation> verdict_;
  ObserverWatch watch_;
  sim::HollowCluster cluster_;
  std::optional<ChildProcess> controller_;
  Timer next_;
};

}  // namespace nlc::workbench

#include "nlc/demo/demo.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <unistd.h>

#include "net/loop/stop_signals.h"
#include "net/process/temporary_folder.h"
#include "nlc/demo/stage.h"

namespace nlc::workbench {
namespace {

constexpr const char* program = "node-lifecycle-controller";

/// Beside this program, as installed, or in the neighbouring folder, as built.
std::string find_controller(const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  std::error_code none;
  const std::filesystem::path here =
      std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  const std::filesystem::path beside = here / program;
  if (std::filesystem::exists(beside, none)) return beside.string();
  return (here.parent_path() / "controller" / program).string();
}

DemoPlan plan() {
  DemoPlan plan;
  plan.victims = {"hollow-0", "hollow-1", "hollow-2"};
  plan.survivor = "hollow-0";
  return plan;
}

}  // namespace

int run_demo(const DemoFlags& flags) {
  const std::string controller = find_controller(flags.controller);
  if (::access(controller.c_str(), X_OK) != 0) {
    complain("no controller to run at " + controller + "; --controller names it");
    return 1;
  }
  const net::TemporaryFolder temporary("nlc-demo");
  const Result<std::string>& directory = temporary.path();
  if (!directory) {
    complain(directory.error().path);
    return 1;
  }
  Embedded embedded;
  std::optional<DemoStage> stage;
  // Before the first line is said: who cannot say it asks by a signal for an end in good order.
  const net::StopSignals signals(embedded.loop, [&](int) { stage->on_signal(); });
  if (!embedded.publish({"127.0.0.1", flags.port}, *directory + "/kubeconfig")) return 1;
  stage.emplace(embedded, DemoStage::Setting{.plan = plan(),
                                             .controller = controller,
                                             .directory = *directory,
                                             .coloured = stdout_is_terminal(),
                                             .keep = flags.keep});
  embedded.loop.run();
  return stage->exit_code();
}

}  // namespace nlc::workbench

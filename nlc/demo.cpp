#include "nlc/demo.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <unistd.h>

#include "net/loop/stop_signals.h"
#include "nlc/demo_stage.h"

namespace nlc::sim {
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

/// Where temporary files belong, by the same rule as mktemp's.
std::string temporary_files() {
  const char* const said = std::getenv("TMPDIR");
  return said == nullptr || *said == '\0' ? "/tmp" : said;
}

Result<std::string> make_directory() {
  const std::string parent = temporary_files();
  std::string pattern = parent + "/nlc-demo-XXXXXX";
  if (::mkdtemp(pattern.data()) != nullptr) return pattern;
  return bad_input("cannot make a folder in " + parent +
                   ", where temporary files go (TMPDIR): " + std::strerror(errno));
}

/// A directory for temporary files, gone at the end with all that is in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() = default;
  ~TemporaryDirectory() {
    std::error_code none;
    if (path_) std::filesystem::remove_all(*path_, none);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  /// The error says why there is none.
  const Result<std::string>& path() const { return path_; }

 private:
  const Result<std::string> path_ = make_directory();
};

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
  const TemporaryDirectory temporary;
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

}  // namespace nlc::sim

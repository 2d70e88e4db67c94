#include "nlc/cluster/report.h"

#include <cerrno>
#include <cstring>

namespace nlc::workbench {

std::string FleetReport::open() {
  if (flags_.file.empty()) return "";
  errno = 0;
  file_.open(flags_.file, std::ios::trunc);
  remember_failure();
  return trouble_;
}

void FleetReport::write(const std::string& line) {
  errno = 0;
  file_ << line << std::endl;
  remember_failure();
}

/// Right behind what may have failed; the first failure is the one that is told.
void FleetReport::remember_failure() {
  if (file_ || !trouble_.empty()) return;
  trouble_ = "cannot write " + flags_.file + ": " + std::strerror(errno);
}

void FleetReport::begin(sim::HollowCluster::Env env) {
  if (flags_.file.empty()) return;
  clock_ = &env.clock;
  book_.emplace(flags_.grace, [this](const std::string& line) { write(line); });
  watch_.emplace(env, book_->observer());
  watch_->open();
}

FleetPlay::Audience FleetReport::with(FleetPlay::Audience audience) {
  if (!book_) return audience;
  audience.on_killed = [this](const sim::HollowKubelet& kubelet) {
    book_->on_killed(kubelet.identity().name,
                     {.pods = static_cast<std::uint32_t>(kubelet.pods().running()),
                      .at = clock_->now(),
                      .wall = clock_->wall_now()});
  };
  audience.on_revived = [this](const sim::HollowKubelet& kubelet) {
    book_->on_revived(kubelet.identity().name, clock_->now());
  };
  return audience;
}

std::string FleetReport::close() {
  if (!book_) return "";
  watch_->close();
  book_->close();
  std::string summary = book_->summary(watch_->gaps());
  write(summary);
  return summary;
}

}  // namespace nlc::workbench

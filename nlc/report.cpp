#include "nlc/report.h"

#include <utility>

namespace nlc::sim {

std::string FleetReport::open() {
  if (flags_.file.empty()) return "";
  file_.open(flags_.file, std::ios::trunc);
  return file_ ? "" : "cannot write " + flags_.file;
}

void FleetReport::begin(HollowCluster::World world) {
  if (flags_.file.empty()) return;
  report_.emplace(world, flags_.grace,
                  [this](const std::string& line) { file_ << line << std::endl; });
}

FleetPlay::Audience FleetReport::with(FleetPlay::Audience audience) {
  if (!report_) return audience;
  audience.on_killed = [this](const HollowKubelet& kubelet) {
    report_->on_killed(kubelet.identity().name,
                       static_cast<std::uint32_t>(kubelet.pods().running()));
  };
  audience.on_revived = [this](const HollowKubelet& kubelet) {
    report_->on_revived(kubelet.identity().name);
  };
  return audience;
}

std::string FleetReport::close() { return report_ ? report_->close() : ""; }

}  // namespace nlc::sim

#include "bench/death_report.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/node_observer.h"

namespace nlc::bench {
namespace {

using nlohmann::json;

using report::Moment;

void take(const json& after, Moment moment, std::vector<double>& delays) {
  const json& delay = after.at(name_of(moment));
  if (delay.is_number()) delays.push_back(delay.get<double>());
}

}  // namespace

/// A line that is still being written waits for its end.
void DeathReport::read_on() {
  std::ifstream stream(file_, std::ios::binary);
  stream.seekg(read_);
  for (std::string line; std::getline(stream, line) && !stream.eof();) {
    read_ += static_cast<std::streamoff>(line.size()) + 1;
    const json told = json::parse(line, nullptr, false);
    if (told.is_discarded()) continue;
    if (told.contains("condemned_though_healthy")) ++false_positives_;
    if (!told.contains("after_grace_ms")) continue;
    const json& after = told.at("after_grace_ms");
    ++deaths_.told;
    take(after, Moment::Unknown, deaths_.unknown);
    take(after, Moment::NoSchedule, deaths_.no_schedule);
    take(after, Moment::PodNotReady, deaths_.pods_not_ready);
  }
}

Deaths DeathReport::take_deaths() {
  read_on();
  return std::exchange(deaths_, {});
}

std::size_t DeathReport::take_condemned() {
  read_on();
  return std::exchange(false_positives_, 0);
}

}  // namespace nlc::bench

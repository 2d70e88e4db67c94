#include "readers.h"
#include "rule.h"
#include "sim/scenario/model/scenario.h"

namespace nlc::bytes {

void read_scenario_file(std::string_view bytes) {
  const auto read = sim::scenario::read_scenario_text(bytes, "days.yaml");
  if (read) return;
  must_hold(read.error().path.starts_with("days.yaml:"), "an error names file and line");
}

}  // namespace nlc::bytes

#include "sim/scenario/deviations.h"

#include "readers.h"
#include "rule.h"

namespace nlc::bytes {

/// The list of cases that do not hold as written.
void read_deviations(std::string_view bytes) {
  const auto read = sim::scenario::read_deviation_text(bytes, "list.yaml");
  if (!read) {
    must_hold(read.error().path.starts_with("list.yaml:"), "an error names file and line");
    return;
  }
  for (const auto& deviation : read->cases) {
    must_hold(read->find(deviation.id) != nullptr, "a deviation that is listed is found");
    (void)read->reason_of(deviation);
  }
}

}  // namespace nlc::bytes

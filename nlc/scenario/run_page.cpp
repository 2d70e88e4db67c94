#include "nlc/scenario/run_page.h"

#include "nlc/console/console.h"
#include "program/page_document.h"

namespace nlc::sim {

bool write_run_page(const std::string& file, const scenario::Scenario& scenario,
                    const scenario::Recording& recording) {
  const Result<std::string> run = scenario::record(scenario, recording);
  if (run) return write_file(file, program::page_document(*run));
  complain("--page: " + run.error().path);
  return false;
}

}  // namespace nlc::sim

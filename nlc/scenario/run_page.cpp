#include "nlc/scenario/run_page.h"

#include "nlc/console/console.h"
#include "program/page_document.h"

namespace nlc::workbench {

bool write_run_page(const std::string& file, const sim::scenario::Scenario& scenario,
                    const sim::scenario::Recording& recording) {
  const Result<std::string> run = sim::scenario::record(scenario, recording);
  if (run) return write_file(file, program::page_document(*run));
  complain("--page: " + run.error().path);
  return false;
}

}  // namespace nlc::workbench

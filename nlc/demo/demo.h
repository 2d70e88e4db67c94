#pragma once

#include <cstdint>
#include <string>

namespace nlc::workbench {

struct DemoFlags {
  std::uint16_t port = 0;
  std::string controller;  ///< program to run; empty: looked for beside this one
  bool keep = false;       ///< leave cluster and controller running at the end
};

/// `nlc demo`: an embedded cluster, the real controller against it over HTTP, three machines that
/// lose their power and one that gets it back. Returns the exit code: 0 only when everything
/// happened that should, and nothing else.
int run_demo(const DemoFlags& flags);

}  // namespace nlc::workbench

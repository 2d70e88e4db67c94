#pragma once

#include <optional>
#include <string>

#include "nlc/demo/timeline.h"
#include "nlc/demo/verdict.h"

/// What stands below the lines of the demonstration while it waits, at a terminal. Pure.
namespace nlc::workbench {

/// What comes next, and when.
struct Awaited {
  std::string what;
  std::optional<Instant> at{};  ///< nothing: nobody knows
};

/// After the power was cut: what the controller is due to do next.
Awaited awaited_in_silence(const report::NodeObserver& story, const DemoPlan& plan);

/// Each zone as a strip, a sign for each node, and below them what the signs mean and what is
/// awaited, counting down. A node is silent once it has missed a renewal, long before its grace
/// ends.
///
///     zone-a  x■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■  33 of 34 Ready
///     ■ Ready  □ Ready, silent within its grace  ? Unknown  x NoExecute  · not Ready
///     in 7.2 s  the pods leave: they tolerate the taint for 10 s
std::string waiting_text(const report::NodeObserver& story, const DemoPlan& plan,
                         const Awaited& awaited, Instant now);

}  // namespace nlc::workbench

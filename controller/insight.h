#pragma once

#include "controller/decisions/decisions.h"
#include "controller/reports/history.h"
#include "controller/reports/judgement_holds.h"
#include "controller/rules/moment.h"
#include "controller/rules/view.h"

namespace nlc::controller {

/// All that a running controller knows at one moment, to be read by those who explain it and by
/// nobody who decides. Borrowed: good until the controller's thread goes on.
struct Insight {
  View view;
  const Decisions& decisions;
  const ApiServerHealth& server;
  const JudgementHolds& holds;
  const History& history;
  Moment at;
  bool leading = false;    ///< it decides
  bool observing = false;  ///< what it decides is not performed
  bool synced = false;     ///< its view is complete
};

}  // namespace nlc::controller

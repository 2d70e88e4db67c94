#pragma once

#include "controller/insight.h"
#include "controller/why/answer.h"

namespace nlc::controller::why {

/// The answer to a question, from what the controller knows at this moment. One node or pod is
/// found by its name; only for a name that is unknown all names are walked, and once all nodes for
/// a zone and for what comes next. On the controller's thread; `answerer` of the result is left to
/// the caller, save whether the view is complete.
Answer explain(const Question& question, const Insight& insight);

}  // namespace nlc::controller::why

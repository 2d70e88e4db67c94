#pragma once

#include "nlc/fuzz/flags.h"

namespace nlc::workbench {

/// `nlc fuzz`: days drawn from numbers, played by processes of their own, so that one that ends
/// badly is found like any other. Each is noted in `--out` at once. What asks the program to end
/// ends the playing as if all had been played, and a second time the cutting down. Returns the exit
/// code: 0 when nothing was found, 1 when something was, or a place was never reached in a long
/// run, 2 when there was nothing to run by.
///
/// With `planted` the other way round: 0 when each such mistake was found.
int run_fuzz(const FuzzFlags& flags);

}  // namespace nlc::workbench

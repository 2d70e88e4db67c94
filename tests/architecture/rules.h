#pragma once

#include <string>
#include <vector>

#include "source_tree.h"

/// The cut of the project as rules over its sources. Each answers with what breaks it, as
/// "file:line: what stands there; the rule".
namespace nlc::architecture {

using Sources = std::vector<Source>;
using Texts = std::vector<Text>;
using Violations = std::vector<std::string>;

/// A main joins the rooms, so it may know more of them than its folder does. The workbench is
/// nlc/, headers included; so is what joins the election for mains of others. The rest are one
/// file each.
bool is_main(const Source& source);

/// Who may include whom.
Violations broken_arrows(const Sources& sources);

/// Clocks, threads, sleeps, locks and randomness stand at the edge, never in the logic.
Violations misplaced_effects(const Sources& sources);

/// Heavy headers are compiled in few places, and no other file reaches one by way of a header.
Violations misplaced_heavy_headers(const Sources& sources);

/// simdjson comes in by one header, which says how it is compiled.
Violations misplaced_simdjson(const Sources& sources);

/// Every header may be included twice.
Violations unguarded_headers(const Sources& sources);

/// What is quoted is ours and exists: by its path from the root, or beside the file in the tests.
Violations unknown_includes(const Sources& sources);

/// A header and its source are one unit; no units need each other in a circle.
Violations unit_cycles(const Sources& sources);

/// What is cited of docs/spec is there: spec/, the page, and the heading in quotes behind it, also
/// where a comment goes on in its next line. A page alone means all of it; nobody cites by number.
Violations dead_citations(const Texts& texts);

/// What a page under docs/ names in backticks by `A::b` is known: each part is a word somewhere in
/// the code, or in a CMakeLists.txt, where libraries are named.
Violations unknown_names(const Texts& texts, const Sources& sources);

}  // namespace nlc::architecture

#pragma once

#include <string>
#include <string_view>

namespace nlc::program {

/// The live page as one file that asks nobody for anything: scripts, style and a run that was
/// recorded stand in it. `run`: JSON, as program/page/page.js plays it.
std::string page_document(std::string_view run);

}  // namespace nlc::program

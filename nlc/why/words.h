#pragma once

#include <string>
#include <vector>

#include "controller/why/answer.h"

/// What others said, judged before it is shown.
namespace nlc::workbench {

/// Whether that body is an answer of a controller to that question: whoever else may listen there
/// answers with something, too.
bool is_answer(const std::string& body, const controller::why::Question& question, bool json);

/// Of what a program said before it failed: the last line, and of a Go program that crashed the
/// one that says so before its stack.
std::string last_words(const std::vector<std::string>& lines);

}  // namespace nlc::workbench

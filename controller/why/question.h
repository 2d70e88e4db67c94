#pragma once

#include <string>
#include <string_view>

#include "controller/why/answer.h"
#include "runtime/result.h"

namespace nlc::controller::why {

/// Reads a question from its words: nothing, or "node NAME", "pod NAMESPACE/NAME", "zone
/// REGION/ZONE"; as kubectl takes it, "nodes NAME" and "node/NAME" too. A pod without a namespace
/// is of "default". The error says what would be right.
Result<Question> question_of(std::string_view kind, std::string_view name);

/// Reads it from a path: "/v1/why", "/v1/why/node/NAME", "/v1/why/pod/NAMESPACE/NAME",
/// "/v1/why/zone/REGION/ZONE", percent-encoded.
Result<Question> question_of_path(std::string_view path);
std::string path_of(const Question& question);

/// "node", "pod", "zone"; empty for what comes next.
std::string_view name_of(Question::Kind kind);

}  // namespace nlc::controller::why

#pragma once

#include <cstddef>
#include <string>

#include "controller/why/answer.h"

namespace nlc::controller::why {

/// An answer takes so many lines at most.
inline constexpr int lines_max = 12;
/// And each of them so many bytes, but for the words that say that some are left out.
inline constexpr std::size_t line_bytes_max = 400;

/// For people: lines that end with a line break each. What others wrote begins no line of its own.
std::string text_of(const Answer& answer);

/// For programs: one object, all durations in seconds.
std::string json_of(const Answer& answer);

}  // namespace nlc::controller::why

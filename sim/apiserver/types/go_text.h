#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// What Go reads from texts, and how it says that it cannot.
namespace nlc::sim {

template <typename Number>
struct GoNumber {
  Number value = 0;
  std::string fault;  ///< empty when the text is a number of 64 bits
};

GoNumber<std::int64_t> go_int(std::string_view text);
GoNumber<std::uint64_t> go_uint(std::string_view text);

/// What is wrong with a text that should be a duration; empty when it is one.
std::string go_duration_fault(std::string_view text);

}  // namespace nlc::sim

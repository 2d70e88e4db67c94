#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nlc::net {

/// Standard alphabet with padding, without line breaks.
std::string base64(std::string_view bytes);

/// Reads that, white space between the letters allowed. Nothing when the text is no base64.
std::optional<std::string> parse_base64(std::string_view text);

}  // namespace nlc::net

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "client/transport.h"

namespace nlc::client {

inline constexpr std::string_view plain_text = "text/plain; charset=utf-8";

inline Response json_response(int status, std::string body) {
  return {.status = status, .content_type = "application/json", .body = std::move(body)};
}

/// Words for people, as they stand there.
inline Response text_response(int status, std::string text) {
  return {.status = status, .content_type = std::string(plain_text), .body = std::move(text)};
}

/// One line; `line` without its end.
inline Response line_response(int status, std::string_view line) {
  return text_response(status, std::string(line) + "\n");
}

}  // namespace nlc::client

#include "net/log/log_line.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "runtime/utf8.h"

namespace nlc::net {
namespace {

std::string_view level_name(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return "debug";
    case LogLevel::Info:
      return "info";
    case LogLevel::Warning:
      return "warning";
    case LogLevel::Error:
      return "error";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

/// As JSON quotes it: nothing of it can end the line, and bytes that are no UTF-8 become U+FFFD.
void append_quoted(std::string& line, std::string_view text) {
  using Json = nlohmann::json;
  line += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Without blanks or what a reader could mistake; quoting looks at what is beyond ASCII.
bool is_plain(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char letter) {
    return letter > 0x20 && letter < 0x7F && letter != '"' && letter != '=' && letter != '\\';
  });
}

void append_text_field(std::string& line, std::string_view key, std::string_view value) {
  if (!line.empty()) line += ' ';
  line.append(key).append("=");
  if (is_plain(value)) {
    line += value;
  } else {
    append_quoted(line, value);
  }
}

void append_json_field(std::string& line, std::string_view key, std::string_view value) {
  line += line.empty() ? '{' : ',';
  append_quoted(line, key);
  line += ':';
  append_quoted(line, value);
}

}  // namespace

/// Enough for every line of ours; a queue of lines holds a thousand such fields.
constexpr std::size_t field_limit = 1024;

std::string log_line(LogFormat format, std::string_view time, LogLevel level,
                     std::string_view message, Log::Fields fields) {
  const auto append = format == LogFormat::Json ? append_json_field : append_text_field;
  std::string line;
  append(line, "time", time);
  append(line, "level", level_name(level));
  append(line, "msg", shortened(message, field_limit));
  for (const LogField& field : fields) append(line, field.key, shortened(field.value, field_limit));
  if (format == LogFormat::Json) line += '}';
  return line;
}

}  // namespace nlc::net

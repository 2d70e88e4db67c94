#include "net/log/log_line.h"

#include <array>
#include <cstdio>
#include <cstdlib>

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

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// Length of the UTF-8 character at `at`, 0 when the bytes are none.
std::size_t character_size(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  const std::size_t size = lead < 0x80   ? 1
                           : lead < 0xC2 ? 0
                           : lead < 0xE0 ? 2
                           : lead < 0xF0 ? 3
                           : lead < 0xF5 ? 4
                                         : 0;
  if (size == 0 || at + size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte_at(text, at + i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = size > 1 ? byte_at(text, at + 1) : 0;
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second > 0x9F;
  const bool beyond = lead == 0xF4 && second > 0x8F;
  return overlong || surrogate || beyond ? 0 : size;
}

void append_ascii(std::string& line, unsigned byte) {
  switch (byte) {
    case '"':
      line += "\\\"";
      return;
    case '\\':
      line += "\\\\";
      return;
    case '\n':
      line += "\\n";
      return;
    case '\r':
      line += "\\r";
      return;
    case '\t':
      line += "\\t";
      return;
    default:
      break;
  }
  if (byte >= 0x20 && byte != 0x7F) {
    line += static_cast<char>(byte);
    return;
  }
  std::array<char, 8> escape{};
  std::snprintf(escape.data(), escape.size(), "\\u%04x", byte);
  line += escape.data();
}

void append_quoted(std::string& line, std::string_view text) {
  line += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_size(text, at);
    if (size == 1) append_ascii(line, byte_at(text, at));
    if (size == 0) line += "\xEF\xBF\xBD";
    if (size > 1) line += text.substr(at, size);
    at += size == 0 ? 1 : size;
  }
  line += '"';
}

bool is_plain(std::string_view text) {
  if (text.empty()) return false;
  for (const char letter : text) {
    const bool mistakable = letter == '"' || letter == '=' || letter == '\\';
    const bool printable = letter > 0x20 && letter < 0x7F;  // quoting looks at what is beyond ASCII
    if (!printable || mistakable) return false;
  }
  return true;
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

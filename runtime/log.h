#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace nlc {

enum class LogLevel { Debug, Info, Warning, Error };

/// What varies in a log line, named after its kind: {"node", name}.
struct LogField {
  std::string_view key;
  std::string value;
};

/// Where log lines go: spdlog in the real programs (`net/`), memory in tests and simulations. The
/// message is constant, lower-case and past tense; what varies is in the fields. Safe to call from
/// any thread.
class Log {
 public:
  using Fields = std::initializer_list<LogField>;

  virtual ~Log() = default;
  virtual void write(LogLevel level, std::string_view message, Fields fields) = 0;

  void debug(std::string_view message, Fields fields = {}) {
    write(LogLevel::Debug, message, fields);
  }
  void info(std::string_view message, Fields fields = {}) {
    write(LogLevel::Info, message, fields);
  }
  void warning(std::string_view message, Fields fields = {}) {
    write(LogLevel::Warning, message, fields);
  }
  void error(std::string_view message, Fields fields = {}) {
    write(LogLevel::Error, message, fields);
  }
};

/// For callers that have nothing to tell anybody.
class SilentLog final : public Log {
 public:
  void write(LogLevel, std::string_view, Fields) override {}
};

}  // namespace nlc

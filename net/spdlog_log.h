#pragma once

#include <memory>
#include <ostream>

#include "net/log_line.h"
#include "runtime/clock.h"
#include "runtime/log.h"

namespace nlc::net {

struct LogOptions {
  LogFormat format = LogFormat::Text;
  LogLevel threshold = LogLevel::Info;  ///< what is less is not written
  std::ostream* stream = nullptr;       ///< stderr without one; it outlives the log
};

/// Log lines through a spdlog logger of its own, which stands in no registry. Written before
/// `write` returns, line by line, from any thread.
class SpdlogLog final : public Log {
 public:
  SpdlogLog(const Clock& clock, LogOptions options);
  ~SpdlogLog() override;

  void write(LogLevel level, std::string_view message, Fields fields) override;

 private:
  struct Sink;

  const Clock& clock_;
  const LogOptions options_;
  std::unique_ptr<Sink> sink_;
};

}  // namespace nlc::net

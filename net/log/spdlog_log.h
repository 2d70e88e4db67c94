#pragma once

#include <memory>

#include "net/log/log_line.h"
#include "runtime/clock.h"
#include "runtime/log.h"

namespace nlc::net {

struct LogOptions {
  LogFormat format = LogFormat::Text;
  LogLevel threshold = LogLevel::Info;  ///< what is less is not written
  int file = 2;                         ///< where lines go: stderr
};

/// Log lines through a spdlog logger of its own, which stands in no registry. A LineQueue carries
/// them to `file`, so that no reader of ours makes us wait. Any thread.
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

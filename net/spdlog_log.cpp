#include "net/spdlog_log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "runtime/time.h"

namespace nlc::net {
namespace {

spdlog::sink_ptr sink_for(const LogOptions& options) {
  if (options.stream == nullptr) return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  return std::make_shared<spdlog::sinks::ostream_sink_mt>(*options.stream);
}

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return spdlog::level::debug;
    case LogLevel::Info:
      return spdlog::level::info;
    case LogLevel::Warning:
      return spdlog::level::warn;
    case LogLevel::Error:
      return spdlog::level::err;
  }
  std::abort();  // unreachable: the switch is exhaustive
}

}  // namespace

struct SpdlogLog::Sink {
  explicit Sink(const LogOptions& options) : logger("nlc", sink_for(options)) {
    logger.set_pattern(
        "%v");  // The line brings its own time and level, escaped as its format demands.
    logger.set_level(spdlog_level(options.threshold));
    logger.flush_on(spdlog::level::debug);
  }

  spdlog::logger logger;
};

SpdlogLog::SpdlogLog(const Clock& clock, LogOptions options)
    : clock_(clock), options_(options), sink_(std::make_unique<Sink>(options)) {}

SpdlogLog::~SpdlogLog() = default;

void SpdlogLog::write(LogLevel level, std::string_view message, Fields fields) {
  if (level < options_.threshold) return;
  const std::string time = rfc3339_micro(clock_.wall_now());
  sink_->logger.log(spdlog_level(level), log_line(options_.format, time, level, message, fields));
}

}  // namespace nlc::net

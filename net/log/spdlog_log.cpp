#include "net/log/spdlog_log.h"

#include <mutex>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <utility>

#include "net/log/line_queue.h"
#include "runtime/time.h"

namespace nlc::net {
namespace {

/// Hands lines to a queue.
class QueueSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  QueueSink(int file, LineQueue::Notice notice) : queue_(file, std::move(notice)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    queue_.push(std::string(line.data(), line.size()));
  }
  void flush_() override {}

  LineQueue queue_;
};

std::string notice_of(const Clock& clock, LogFormat format, std::uint64_t dropped) {
  return log_line(format, rfc3339_micro(clock.wall_now()), LogLevel::Warning,
                  "log lines were dropped, nobody read them",
                  {{"lines", std::to_string(dropped)}}) +
         "\n";
}

spdlog::sink_ptr sink_for(const Clock& clock, const LogOptions& options) {
  return std::make_shared<QueueSink>(options.file,
                                     [&clock, format = options.format](std::uint64_t dropped) {
                                       return notice_of(clock, format, dropped);
                                     });
}

}  // namespace

/// The line brings its own time and level, escaped as its format demands.
struct SpdlogLog::Sink {
  Sink(const Clock& clock, const LogOptions& options) : logger("nlc", sink_for(clock, options)) {
    logger.set_pattern("%v");
  }

  spdlog::logger logger;
};

SpdlogLog::SpdlogLog(const Clock& clock, LogOptions options)
    : clock_(clock), options_(options), sink_(std::make_unique<Sink>(clock, options)) {}

SpdlogLog::~SpdlogLog() = default;

void SpdlogLog::write(LogLevel level, std::string_view message, Fields fields) {
  if (level < options_.threshold) return;
  const std::string time = rfc3339_micro(clock_.wall_now());
  sink_->logger.log(spdlog::level::info, log_line(options_.format, time, level, message, fields));
}

}  // namespace nlc::net

#include "sim/scenario/stage/story.h"

#include <array>
#include <cstdio>

namespace nlc::sim::scenario {
namespace {

std::string prefix_of(LogLevel level) {
  if (level == LogLevel::Error) return "error: ";
  return level == LogLevel::Warning ? "warning: " : "";
}

}  // namespace

std::string offset_text(Duration offset) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(offset).count();
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+lld.%03llds",
                static_cast<long long>(milliseconds / 1000),
                static_cast<long long>(std::abs(milliseconds % 1000)));
  return text.data();
}

void Story::tell(std::string_view who, std::string_view what) const {
  if (!listener_) return;
  std::string line = offset_text(offset());
  line.insert(0, line.size() < 11 ? 11 - line.size() : 0, ' ');
  line.append("  ").append(who);
  line.append(who.size() < 10 ? 10 - who.size() : 0, ' ').append("  ").append(what);
  listener_(line);
}

void StoryLog::write(LogLevel level, std::string_view message, Fields fields) {
  if (!story_.is_heard() && kept_ == nullptr) return;
  std::string line(message);
  for (const LogField& field : fields) {
    line.append(" ").append(field.key).append("=").append(field.value);
  }
  if (story_.is_heard()) {
    story_.tell(replica_.empty() ? "controller" : replica_, prefix_of(level) + line);
  }
  if (kept_ != nullptr) kept_->push_back({story_.offset(), replica_, level, std::move(line)});
}

}  // namespace nlc::sim::scenario

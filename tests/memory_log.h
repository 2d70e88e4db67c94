#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log.h"

namespace nlc::tests {

/// Keeps log lines, so that a test can tell what was said.
class MemoryLog final : public Log {
 public:
  void write(LogLevel, std::string_view message, Fields fields) override {
    std::string line(message);
    for (const LogField& field : fields) line += " " + std::string(field.key) + "=" + field.value;
    lines.push_back(std::move(line));
  }

  std::size_t count(std::string_view part) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        lines, [&](const std::string& line) { return line.find(part) != std::string::npos; }));
  }

  std::vector<std::string> lines;
};

}  // namespace nlc::tests

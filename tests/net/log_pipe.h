#pragma once

#include <array>
#include <chrono>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace nlc::tests {

/// A pipe for somebody's log, and its reader, who may sleep or leave.
class LogPipe {
 public:
  LogPipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  }
  ~LogPipe() {
    leave();
    close(ends_[1]);
  }
  LogPipe(const LogPipe&) = delete;
  LogPipe& operator=(const LogPipe&) = delete;

  int entry() const { return ends_[1]; }

  /// Nothing more goes in until something is read.
  void fill() {
    const int before = fcntl(ends_[1], F_GETFL);
    fcntl(ends_[1], F_SETFL, before | O_NONBLOCK);
    const std::string page(4096, '\n');
    while (write(ends_[1], page.data(), page.size()) > 0) {
    }
    fcntl(ends_[1], F_SETFL, before);
  }

  void leave() {
    if (ends_[0] >= 0) close(ends_[0]);
    ends_[0] = -1;
  }

  /// Reads until `text` has come; false when it does not within 20 s.
  bool says(const std::string& text) {
    return reads_until([&] { return said.find(text) != std::string::npos; });
  }

  template <typename Met>
  bool reads_until(Met met) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!met()) {
      if (std::chrono::steady_clock::now() > end) return false;
      pollfd ready{.fd = ends_[0], .events = POLLIN, .revents = 0};
      if (poll(&ready, 1, 100) <= 0) continue;
      std::array<char, 65536> space{};
      const ssize_t size = read(ends_[0], space.data(), space.size());
      if (size <= 0) return false;
      said.append(space.data(), static_cast<std::size_t>(size));
    }
    return true;
  }

  std::string said;

 private:
  std::array<int, 2> ends_{-1, -1};
};

}  // namespace nlc::tests

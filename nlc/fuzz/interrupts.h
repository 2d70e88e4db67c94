#pragma once

#include <array>
#include <csignal>

namespace nlc::workbench {

/// As long as it lives, what asks a program to end (SIGINT, SIGTERM, SIGHUP) ends what is under way
/// instead, and what was found by then is kept. SIGHUP is left alone where it was ignored at the
/// start, as under nohup. One at a time.
class Interrupts {
 public:
  static constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};

  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  /// Whether one has come since the last `forget`.
  bool heard() const;
  void forget();

 private:
  std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace nlc::workbench

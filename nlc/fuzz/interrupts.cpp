#include "nlc/fuzz/interrupts.h"

namespace nlc::workbench {
namespace {

volatile std::sig_atomic_t signal_came = 0;

void remember_signal(int) { signal_came = 1; }

}  // namespace

Interrupts::Interrupts() {
  forget();
  struct sigaction ours {};
  ours.sa_handler = remember_signal;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &before_[i]);
    // As under nohup, and so it must stay.
    const bool stays_ignored = signals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN;
    if (!stays_ignored) ::sigaction(signals[i], &ours, nullptr);
  }
}

Interrupts::~Interrupts() {
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], &before_[i], nullptr);
  }
}

bool Interrupts::heard() const { return signal_came != 0; }

void Interrupts::forget() { signal_came = 0; }

}  // namespace nlc::workbench

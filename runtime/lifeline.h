#pragma once

#include <functional>
#include <utility>

namespace nlc {

/// Something that goes on for as long as this value lives: a timer, a watch, a request being
/// served. Destroying or overwriting it ends that thing; afterwards nothing of it is heard again.
class [[nodiscard]] Lifeline {
 public:
  Lifeline() = default;
  explicit Lifeline(std::function<void()> end) : end_(std::move(end)) {}
  Lifeline(Lifeline&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
  Lifeline& operator=(Lifeline&& other) noexcept {
    if (this != &other) {
      end();
      end_ = std::exchange(other.end_, nullptr);
    }
    return *this;
  }
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;
  ~Lifeline() { end(); }

  void end() {
    if (auto ending = std::exchange(end_, nullptr)) ending();
  }

 private:
  std::function<void()> end_;
};

}  // namespace nlc

#pragma once

#include <functional>
#include <utility>

namespace nlc {

/// Something that goes on for as long as this value lives: a timer, a watch, a request being
/// served. Destroying or overwriting it ends that thing; afterwards nothing of it is heard again.
class [[nodiscard]] Subscription {
 public:
  Subscription() = default;
  explicit Subscription(std::function<void()> end) : end_(std::move(end)) {}
  Subscription(Subscription&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
  Subscription& operator=(Subscription&& other) noexcept {
    if (this != &other) {
      end();
      end_ = std::exchange(other.end_, nullptr);
    }
    return *this;
  }
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;
  ~Subscription() { end(); }

  void end() {
    if (auto ending = std::exchange(end_, nullptr)) ending();
  }

 private:
  std::function<void()> end_;
};

}  // namespace nlc

#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace nlc {

/// The newest state of something, for threads that must not wait for the one that it belongs to.
/// Both functions are safe from any thread. `std::atomic<std::shared_ptr>` is not: that of GCC 12
/// reads without a release, which is a race where memory is weakly ordered.
template <typename T>
class Published {
 public:
  void publish(T value) {
    auto next = std::make_shared<const T>(std::move(value));
    const std::lock_guard lock(mutex_);
    value_.swap(next);
  }
  std::shared_ptr<const T> read() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_ = std::make_shared<const T>();
};

}  // namespace nlc

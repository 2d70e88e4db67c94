#pragma once

#include <memory>
#include <utility>

namespace nlc {

/// How long callbacks may still be called that others hold: answers to requests, work that was
/// posted. What `guard` returns calls the given function until the scope ends, and does nothing
/// afterwards, so an object may go while its answers are on their way. As the last member of that
/// object it ends before anything that its callbacks use.
///
/// The scope ends on the thread on which its callbacks are called.
class CallbackScope {
 public:
  CallbackScope() = default;
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

  template <typename Function>
  auto guard(Function function) const {
    return [alive = std::weak_ptr<const char>(alive_),
            function = std::move(function)]<typename... Arguments>(Arguments&&... given) mutable {
      if (!alive.expired()) function(std::forward<Arguments>(given)...);
    };
  }

  /// Ends this scope and begins a new one: what was guarded so far is never called again.
  void restart() { alive_ = std::make_shared<const char>(); }

 private:
  std::shared_ptr<const char> alive_ = std::make_shared<const char>();
};

}  // namespace nlc

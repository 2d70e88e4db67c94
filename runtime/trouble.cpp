#include "runtime/trouble.h"

#include <utility>

namespace nlc {
namespace {

constexpr Duration reminder = std::chrono::minutes(1);

}  // namespace

bool Trouble::met(std::string_view kind, Instant now) {
  if (!began_) began_ = now;
  const auto last = last_told_.find(kind);
  if (last != last_told_.end() && now < last->second + reminder) {
    ++untold_;
    return false;
  }
  last_told_.insert_or_assign(std::string(kind), now);
  last_ = now;
  told_ = true;
  untold_ = 0;
  return true;
}

bool Trouble::remind(Instant now) {
  if (!began_ || !told_ || now < last_ + reminder) return false;
  last_ = now;
  untold_ = 0;
  return true;
}

std::optional<Duration> Trouble::over(Instant now) {
  const std::optional<Instant> began = std::exchange(began_, std::nullopt);
  untold_ = 0;
  if (!std::exchange(told_, false)) return std::nullopt;
  return now - *began;
}

}  // namespace nlc

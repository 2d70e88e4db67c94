#include "controller/server/late_caches.h"

#include <utility>

namespace nlc::controller {
namespace {

constexpr Duration first_look = std::chrono::seconds(30);
constexpr Duration last_look = std::chrono::minutes(16);

}  // namespace

void LateCaches::went_back(bool again, bool by_our_lists) {
  known_ = {};
  if (!again && !look_) ahead_ = false;
  goes_on_ = by_our_lists;
}

void LateCaches::compare(std::uint64_t version, std::uint64_t views) {
  if (version != 0 && version < views) ahead_ = true;
}

void LateCaches::written(std::uint64_t version, Instant sent, std::uint64_t views, Instant now) {
  if (sent >= known_.since) compare(version, known_.views);
  known_ = {.views = views, .since = now};
}

bool LateCaches::settled(Instant now) {
  if (std::exchange(goes_on_, false)) return false;
  look_later(first_look, now);
  return true;
}

void LateCaches::settles_if_restored(Instant when) {
  look_ = Look{.at = when, .after = look_ ? look_->after : last_look, .sure = true};
}

bool LateCaches::due(Instant now) {
  if (!look_ || now < look_->at) return false;
  const Look due = *std::exchange(look_, std::nullopt);
  // The first comes whatever was seen: that the list before it was late can have shown nowhere.
  if (!due.sure && !ahead_ && due.after > first_look) return false;
  look_later(2 * due.after, now);
  return true;
}

void LateCaches::look_later(Duration after, Instant now) {
  if (after <= last_look) look_ = Look{.at = now + after, .after = after};
}

}  // namespace nlc::controller

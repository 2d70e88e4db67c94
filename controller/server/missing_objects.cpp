#include "controller/server/missing_objects.h"

#include "runtime/planted.h"

namespace nlc::controller {
namespace {

/// The deletion of an object comes on its watch within so long.
constexpr Duration watch_tells_within = std::chrono::seconds(5);
/// That it was not found once says nothing any more after so long.
constexpr Duration counts_for = std::chrono::minutes(2);
/// A cache that does not follow shows it again in each list.
constexpr Duration lists_apart = std::chrono::minutes(1);

}  // namespace

bool MissingObjects::not_found(const std::string& uid, Instant now) {
  if (listed_ && now < *listed_ + lists_apart) return false;
  if (!swept_ || now - *swept_ > counts_for) {
    std::erase_if(since_, [now](const auto& one) { return now - one.second > counts_for; });
    swept_ = now;
  }
  Instant& since = since_.try_emplace(uid, now).first->second;
  if (now - since > counts_for) since = now;
  if (now - since < watch_tells_within || planted("ghosts-stay")) return false;
  since_.clear();
  listed_ = now;
  return true;
}

}  // namespace nlc::controller

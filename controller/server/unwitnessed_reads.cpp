#include "controller/server/unwitnessed_reads.h"

#include <algorithm>
#include <iterator>

namespace nlc::controller {
namespace {

/// The first may have been sent before the read.
constexpr int writes_wanted = 2;

/// Two renewals of a lock, also of one that is renewed slowly.
constexpr Duration good_for = std::chrono::seconds(30);

}  // namespace

std::vector<UnwitnessedReads::Read> UnwitnessedReads::lease_written() {
  for (Kept& kept : kept_) ++kept.writes;
  return take_until(
      std::ranges::find_if(kept_, [](const Kept& kept) { return kept.writes < writes_wanted; }));
}

std::vector<UnwitnessedReads::Read> UnwitnessedReads::take_old(Instant now) {
  return take_until(std::ranges::find_if(
      kept_, [now](const Kept& kept) { return now - kept.answered < good_for; }));
}

std::vector<UnwitnessedReads::Read> UnwitnessedReads::take_all() { return take_until(kept_.end()); }

std::vector<UnwitnessedReads::Read> UnwitnessedReads::take_until(std::vector<Kept>::iterator end) {
  std::vector<Read> taken;
  std::ranges::transform(kept_.begin(), end, std::back_inserter(taken),
                         [](Kept& kept) { return std::move(kept.read); });
  kept_.erase(kept_.begin(), end);
  return taken;
}

}  // namespace nlc::controller

#include "controller/server/unwitnessed_reads.h"

#include <algorithm>
#include <iterator>

namespace nlc::controller {
namespace {

constexpr Duration good_for = std::chrono::seconds(30);

}  // namespace

std::vector<UnwitnessedReads::Read> UnwitnessedReads::take_answered_before(Instant sent) {
  return take_until(
      std::ranges::find_if(kept_, [sent](const Kept& kept) { return kept.answered >= sent; }));
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

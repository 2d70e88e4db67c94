#include "controller/server/unwitnessed_reads.h"

#include <algorithm>
#include <iterator>

namespace nlc::controller {
namespace {

/// The first may have been sent before the read.
constexpr int writes_wanted = 2;

}  // namespace

std::vector<UnwitnessedReads::Read> UnwitnessedReads::lease_written() {
  for (Kept& kept : kept_) ++kept.writes;
  const auto others =
      std::ranges::find_if(kept_, [](const Kept& kept) { return kept.writes < writes_wanted; });
  std::vector<Read> borne_out;
  std::ranges::transform(kept_.begin(), others, std::back_inserter(borne_out),
                         [](Kept& kept) { return std::move(kept.read); });
  kept_.erase(kept_.begin(), others);
  return borne_out;
}

std::vector<UnwitnessedReads::Read> UnwitnessedReads::take_all() {
  std::vector<Read> all;
  for (Kept& kept : std::exchange(kept_, {})) all.push_back(std::move(kept.read));
  return all;
}

}  // namespace nlc::controller

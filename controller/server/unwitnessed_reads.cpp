#include "controller/server/unwitnessed_reads.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace nlc::controller {
namespace {

using Reads = std::vector<UnwitnessedReads::Read>;

template <typename IsSo>
Reads take(Reads& from, IsSo is_so) {
  const auto taken = std::ranges::stable_partition(from, std::not_fn(is_so));
  Reads out(std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end()));
  from.erase(taken.begin(), taken.end());
  return out;
}

}  // namespace

void UnwitnessedReads::keep(Read read) {
  ReadLeases& asked = read.asked;
  asked.came_late = asked.in_one_list && read.answered - asked.asked > ReadLeases::in_time;
  kept_.push_back(std::move(read));
}

Reads UnwitnessedReads::take_answered_before(Instant sent) {
  return take(kept_, [sent](const Read& read) { return read.answered < sent; });
}

Reads UnwitnessedReads::take_old(Instant now) {
  return take(kept_, [now](const Read& read) { return !read.asked.counts(now); });
}

}  // namespace nlc::controller

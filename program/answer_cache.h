#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "runtime/time.h"

namespace nlc::program {

/// The last answers to questions that a caller can make us ask: few, and each for a short while.
/// Where there are too many the oldest refusal goes first, for anybody can collect those. Pure.
template <typename Question, typename Answer>
class AnswerCache {
 public:
  AnswerCache(std::size_t most, Duration valid) : most_(most), valid_(valid) {}

  /// Good until the next call that is no `find`.
  const Answer* find(const Question& question, Instant now) const {
    const auto found = std::ranges::find_if(
        kept_, [&](const Kept& kept) { return now < kept.ends && kept.question == question; });
    return found == kept_.end() ? nullptr : &found->answer;
  }

  void keep(Question question, Answer answer, Instant now) {
    std::erase_if(kept_,
                  [&](const Kept& kept) { return kept.ends <= now || kept.question == question; });
    if (kept_.size() >= most_) drop_one();
    kept_.push_back({std::move(question), std::move(answer), now + valid_});
  }

  std::size_t size() const { return kept_.size(); }

 private:
  struct Kept {
    Question question;
    Answer answer;
    Instant ends;
  };

  void drop_one() {
    const auto refusal = std::ranges::find_if(
        kept_, [](const Kept& kept) { return !static_cast<bool>(kept.answer); });
    kept_.erase(refusal == kept_.end() ? kept_.begin() : refusal);
  }

  const std::size_t most_;
  const Duration valid_;
  std::vector<Kept> kept_;  ///< the oldest first
};

}  // namespace nlc::program

#include "informer/shared_text.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace nlc::informer {
namespace {

TEST(SharedText, CopiesSayTheSameAndTheLastOneFreesIt) {
  SharedText text("zone-a");
  EXPECT_TRUE(text.is_only_copy());
  {
    const SharedText copy = text;
    EXPECT_EQ(copy.view().data(), text.view().data());
    EXPECT_FALSE(text.is_only_copy());
  }
  EXPECT_TRUE(text.is_only_copy());
  text = SharedText();
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text.view(), "");
}

TEST(SharedText, MayHoldAnyBytes) {
  const std::string bytes("a\0b", 3);
  EXPECT_EQ(SharedText(bytes).view(), bytes);
}

TEST(TextPool, KeepsATextOnce) {
  TextPool texts;
  const SharedText first = texts.of("kube-system");
  const SharedText second = texts.of(std::string("kube-") + "system");
  EXPECT_EQ(first.view().data(), second.view().data());
  EXPECT_EQ(texts.size(), 1U);
}

TEST(TextPool, TheEmptyTextCostsNothing) {
  TextPool texts;
  EXPECT_TRUE(texts.of("").empty());
  EXPECT_EQ(texts.size(), 0U);
}

TEST(TextPool, PuttingWhatIsThereKeepsIt) {
  TextPool texts;
  SharedText place = SharedText("mine");
  const char* const before = place.view().data();
  texts.put(place, "mine");
  EXPECT_EQ(place.view().data(), before);
  texts.put(place, "another");
  EXPECT_EQ(place.view(), "another");
}

TEST(TextPool, WhatNobodyHasAnyMoreLeavesItInTheEnd) {
  TextPool texts;
  const SharedText kept = texts.of("kept");
  for (int number = 0; number < 100'000; ++number) {
    const SharedText passing = texts.of("node-" + std::to_string(number));
  }
  EXPECT_LE(texts.size(), 1000U);
  EXPECT_EQ(texts.of("kept").view().data(), kept.view().data());
}

TEST(TextPool, SweepsWhenItHasDoubledSinceTheLastSweepAndNotBelowTwoHundredAndFiftySix) {
  for (const auto& [held_texts, most] : {std::pair<int, std::size_t>{1, 256}, {200, 400}}) {
    TextPool texts;
    std::vector<SharedText> held;
    for (int number = 0; number < held_texts; ++number) {
      held.push_back(texts.of("held-" + std::to_string(number)));
    }
    std::size_t largest = 0;
    for (int number = 0; number < 5000; ++number) {
      const SharedText passing = texts.of("passing-" + std::to_string(number));
      largest = std::max(largest, texts.size());
    }
    EXPECT_EQ(largest, most);
  }
}

TEST(TextPool, WhatIsHeldStaysHoweverMuchComes) {
  TextPool texts;
  std::vector<SharedText> held;
  for (int number = 0; number < 5000; ++number) held.push_back(texts.of(std::to_string(number)));
  EXPECT_EQ(texts.size(), 5000U);
  for (int number = 0; number < 5000; ++number) {
    EXPECT_EQ(held[static_cast<std::size_t>(number)].view(), std::to_string(number));
  }
}

}  // namespace
}  // namespace nlc::informer

#include "client/limits/gate.h"

#include <gtest/gtest.h>

namespace nlc::client {
namespace {

using namespace std::chrono_literals;

const Instant at_present{1000h};

TEST(Gate, IsClosedUntilSomebodyOpensIt) { EXPECT_FALSE(Gate().is_open(at_present)); }

TEST(Gate, IsOpenJustBeforeItsEndAndClosedAtIt) {
  Gate gate;
  gate.open_until(at_present);
  EXPECT_TRUE(gate.is_open(at_present - 1ns));
  EXPECT_FALSE(gate.is_open(at_present));
  EXPECT_FALSE(gate.is_open(at_present + 1h));
}

TEST(Gate, WithoutElectionItIsOpenForEver) {
  Gate gate;
  gate.open_for_ever();
  EXPECT_TRUE(gate.is_open(at_present + 1000000h));
}

TEST(Gate, ClosesAtOnce) {
  Gate gate;
  gate.open_until(at_present + 1h);
  gate.close();
  EXPECT_FALSE(gate.is_open(at_present));
  EXPECT_FALSE(gate.is_open(Instant{}));
}

}  // namespace
}  // namespace nlc::client

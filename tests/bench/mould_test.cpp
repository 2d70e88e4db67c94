#include "bench/mould.h"

#include <gtest/gtest.h>

namespace nlc::bench {
namespace {

TEST(Mould, CastsAnEventWithItsWordsInTheirGaps) {
  nlohmann::ordered_json object;
  object["kind"] = "Lease";
  object["metadata"]["name"] = "@name";
  object["spec"]["holderIdentity"] = "@name";
  object["spec"]["renewTime"] = "@now";
  const Mould mould("MODIFIED", object);
  EXPECT_EQ(mould.cast({{"name", "n1"}, {"now", "noon"}, {"unused", "x"}}),
            R"({"type":"MODIFIED","object":{"kind":"Lease","metadata":{"name":"n1"},)"
            R"("spec":{"holderIdentity":"n1","renewTime":"noon"}}})"
            "\n");
}

TEST(Mould, WithoutGapsIsTheEventItself) {
  EXPECT_EQ(Mould("BOOKMARK", nlohmann::ordered_json::object()).cast({}),
            "{\"type\":\"BOOKMARK\",\"object\":{}}\n");
}

}  // namespace
}  // namespace nlc::bench

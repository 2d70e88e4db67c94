#include "client/resources.h"

#include <gtest/gtest.h>
#include <string>

namespace nlc::client {
namespace {

using namespace std::string_literals;

TEST(Escaped, UnreservedCharactersStandAsTheyAre) {
  const std::string plain = "abcxyzABCXYZ0189-_.~";
  EXPECT_EQ(escaped(plain), plain);
  EXPECT_EQ(escaped(""), "");
}

TEST(Escaped, EverythingElseIsTwoHexDigits) {
  EXPECT_EQ(escaped("/"), "%2F");
  EXPECT_EQ(escaped("a b&c=d+e%"), "a%20b%26c%3Dd%2Be%25");
  EXPECT_EQ(escaped("\xc3\xa9"), "%C3%A9");
  EXPECT_EQ(escaped("\0\n\x7f"s), "%00%0A%7F");
}

TEST(Escaped, EachByteComesBackFromItsDigits) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    const std::string text = escaped(one);
    if (text.size() == 1) {
      EXPECT_EQ(text, one);
    } else {
      ASSERT_EQ(text.size(), 3U);
      EXPECT_EQ(std::stoi(text.substr(1), nullptr, 16), byte);
    }
  }
}

TEST(Paths, AreThoseOfTheApi) {
  EXPECT_EQ(node_path("n1.example.com"), "/api/v1/nodes/n1.example.com");
  EXPECT_EQ(pod_path("shop", "p1"), "/api/v1/namespaces/shop/pods/p1");
  EXPECT_EQ(lease_path("kube-system", "nlc"),
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/nlc");
  EXPECT_EQ(events_path("default"), "/api/v1/namespaces/default/events");
}

}  // namespace
}  // namespace nlc::client

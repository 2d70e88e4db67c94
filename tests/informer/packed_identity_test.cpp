#include "informer/packed_identity.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "tests/bench/counted_memory.h"

namespace nlc::informer {
namespace {

constexpr std::string_view uuid = "cdcfbc2a-0db5-44c4-a543-ff0dbcf31da1";

PackedIdentity identity(std::string_view uid, std::string_view version) {
  PackedIdentity made;
  made.set(uid, version);
  return made;
}

std::pair<std::string, std::string> texts_of(const PackedIdentity& identity) {
  std::pair<std::string, std::string> texts{"before", "before"};
  identity.get(texts.first, texts.second);
  return texts;
}

TEST(PackedIdentity, GivesBackWhateverItTook) {
  for (const std::string& uid :
       {std::string(uuid), std::string(), std::string("u1"),
        std::string("CDCFBC2A-0DB5-44C4-A543-FF0DBCF31DA1"), std::string(36, '-'),
        std::string("cdcfbc2a00db5044c40a5430ff0dbcf31da1"),
        std::string("00000000-0000-0000-0000-000000000000"),
        std::string("ffffffff-ffff-ffff-ffff-ffffffffffff"), std::string(uuid) + "0"}) {
    for (const std::string_view version :
         {"", "0", "1", "123456", "007", "-1", "1.5", "v1", "999999999999999999",
          "1000000000000000000", "18446744073709551616", "12 "}) {
      EXPECT_EQ(texts_of(identity(uid, version)), std::pair(uid, std::string(version)));
    }
  }
}

TEST(PackedIdentity, MayTakeAnotherAfterAnyOther) {
  PackedIdentity place = identity("odd", "one");
  place.set(uuid, "2");
  EXPECT_EQ(texts_of(place), std::pair(std::string(uuid), std::string("2")));
  place.set("odd again", "3");
  EXPECT_EQ(texts_of(place), std::pair(std::string("odd again"), std::string("3")));
  const PackedIdentity moved = std::move(place);
  EXPECT_EQ(texts_of(moved), std::pair(std::string("odd again"), std::string("3")));
}

TEST(PackedIdentity, TakesNoMemoryOfItsOwnForWhatServersGiveOut) {
  for (const std::string_view uid :
       {uuid, std::string_view(), std::string_view("01234567-89ab-cdef-fedc-ba9876540000")}) {
    for (const std::string_view version : {"", "0", "1", "20", "999999999999999999"}) {
      const std::size_t before = bench::bytes_held();
      const PackedIdentity made = identity(uid, version);
      EXPECT_EQ(bench::bytes_held(), before) << uid << " " << version;
    }
  }
}

TEST(PackedIdentity, GivesTheMemoryOfOddTextsBack) {
  const std::size_t before = bench::bytes_held();
  PackedIdentity place = identity("odd", "one");
  EXPECT_GT(bench::bytes_held(), before);
  place.set("odd again", "two");
  place.set(uuid, "3");
  EXPECT_EQ(bench::bytes_held(), before);
}

TEST(PackedIdentity, KnowsItsUid) {
  EXPECT_TRUE(identity(uuid, "1").has_uid(uuid));
  EXPECT_FALSE(identity(uuid, "1").has_uid("cdcfbc2a-0db5-44c4-a543-ff0dbcf31da2"));
  EXPECT_FALSE(identity(uuid, "1").has_uid("u1"));
  EXPECT_TRUE(identity("u1", "1").has_uid("u1"));
  EXPECT_FALSE(identity("u1", "1").has_uid(""));
  EXPECT_TRUE(identity("", "1").has_uid(""));
}

TEST(PackedIdentity, OrdersVersionsAsTheStreamDoes) {
  EXPECT_TRUE(identity(uuid, "10").is_newer_than("9"));
  EXPECT_FALSE(identity(uuid, "9").is_newer_than("10"));
  EXPECT_FALSE(identity(uuid, "10").is_newer_than("10"));
  EXPECT_TRUE(identity(uuid, "0").is_newer_than(""));
  EXPECT_FALSE(identity(uuid, "").is_newer_than(""));
  EXPECT_TRUE(identity(uuid, "18446744073709551616").is_newer_than("9"));
  EXPECT_FALSE(identity(uuid, "9").is_newer_than("18446744073709551616"));
  EXPECT_TRUE(identity("u1", "10").is_newer_than("9"));
  EXPECT_FALSE(identity("u1", "9").is_newer_than("10"));
}

TEST(PackedIdentity, OrdersTheVersionsOfTwoObjects) {
  constexpr std::string_view longest = "18446744073709551616";
  for (const std::string_view uid : {uuid, std::string_view("u1")}) {
    EXPECT_TRUE(identity(uuid, "10").is_newer_than(identity(uid, "9")));
    EXPECT_FALSE(identity(uid, "9").is_newer_than(identity(uuid, "10")));
    EXPECT_FALSE(identity(uuid, "9").is_newer_than(identity(uid, "10")));
    EXPECT_FALSE(identity(uuid, "10").is_newer_than(identity(uid, "10")));
    EXPECT_TRUE(identity(uuid, longest).is_newer_than(identity(uid, "9")));
    EXPECT_FALSE(identity(uuid, "9").is_newer_than(identity(uid, longest)));
    EXPECT_FALSE(identity(uuid, "9").is_newer_than(identity(uid, "")));
    EXPECT_FALSE(identity(uuid, "9").is_newer_than(identity(uid, "x")));
  }
}

TEST(PackedIdentity, IsTheSameOnlyAsOneOfTheSameTexts) {
  EXPECT_TRUE(identity(uuid, "1").same_as(identity(uuid, "1")));
  EXPECT_FALSE(identity(uuid, "1").same_as(identity(uuid, "2")));
  EXPECT_FALSE(identity(uuid, "1").same_as(identity("u1", "1")));
  EXPECT_TRUE(identity("u1", "1").same_as(identity("u1", "1")));
  EXPECT_FALSE(identity("u1", "1").same_as(identity("u2", "1")));
}

TEST(PackedIdentity, HasAnotherDigestForAnotherText) {
  for (const std::string_view uid : {uuid, std::string_view("u1")}) {
    EXPECT_EQ(identity(uid, "1").digest(), identity(uid, "1").digest());
    EXPECT_NE(identity(uid, "1").digest(), identity(uid, "2").digest());
    EXPECT_NE(identity(uid, "1").digest(), identity("u2", "1").digest());
  }
}

}  // namespace
}  // namespace nlc::informer

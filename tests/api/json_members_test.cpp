#include "api/json_members.h"

#include <gtest/gtest.h>

namespace nlc::api {
namespace {

using namespace simdjson;

TEST(JsonMembers, WhatIsKeptStaysInItsPlaceAndWhatIsSetIsPutThereOrBehind) {
  simdjson::dom::parser parser;
  JsonMembers members;
  members.keep(parser.parse(R"({"a" : [ 1, {} ], "b": "x\n", "c\"": null})"_padded).value());
  members.set("b", "7");
  members.set("d", "{}");
  EXPECT_EQ(members.text(), R"({"a":[1,{}],"b":7,"c\"":null,"d":{}})");
}

TEST(JsonMembers, OfANameThatIsThereTwiceTheFirstIsKeptAsReadersTakeIt) {
  simdjson::dom::parser parser;
  JsonMembers members;
  members.keep(parser.parse(R"({"a":1,"a":2})"_padded).value());
  EXPECT_EQ(members.text(), R"({"a":1})");
}

TEST(JsonMembers, OfWhatIsNoObjectNothingIsKept) {
  simdjson::dom::parser parser;
  JsonMembers members;
  members.keep(std::nullopt);
  members.keep(parser.parse("[1]"_padded).value());
  EXPECT_EQ(members.text(), "{}");
}

TEST(JsonString, QuotesWhatMustBeQuotedAndLeavesOtherLettersAlone) {
  EXPECT_EQ(json_string(""), R"("")");
  EXPECT_EQ(json_string("a b~"), R"("a b~")");
  EXPECT_EQ(json_string("\"\\\n\x01"), R"("\"\\\n\u0001")");
  EXPECT_EQ(json_string("\x7fä"), "\"\x7fä\"");
}

}  // namespace
}  // namespace nlc::api

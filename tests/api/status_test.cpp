#include <gtest/gtest.h>
#include <string>

#include "api/decode.h"
#include "tests/conformance/recorded.h"

namespace nlc::api {
namespace {

using namespace std::chrono_literals;
using conformance::recorded;

TEST(Status, RecordedRefusalIsReadWithItsCauses) {
  const Status status = decode_status(recorded("error-rv-too-large.json"));
  EXPECT_EQ(status.code, 504);
  EXPECT_EQ(status.reason, "Timeout");
  EXPECT_EQ(status.message, "Timeout: Too large resource version: 999999999999, current: 1024");
  ASSERT_EQ(status.causes.size(), 1U);
  EXPECT_EQ(status.causes[0].reason, "ResourceVersionTooLarge");
  EXPECT_EQ(status.causes[0].message, "Too large resource version");
  EXPECT_EQ(status.retry_after, 1s);
}

TEST(Status, CauseNamesItsField) {
  const Status status = decode_status(recorded("error-conflict-uid.json"));
  ASSERT_EQ(status.causes.size(), 2U);
  EXPECT_EQ(status.causes[0].field, "metadata.uid");
}

TEST(Status, PlainTextBecomesTheMessage) {
  EXPECT_EQ(decode_status("Too many requests, please try again later.\n").message,
            "Too many requests, please try again later.");
  EXPECT_EQ(decode_status(recorded("error-unknown-group.txt")).message, "404 page not found");
  EXPECT_EQ(decode_status("").message, "");
}

TEST(Status, ObjectOfAnotherKindIsNoStatus) {
  const Status status = decode_status(R"({"kind":"Node","message":"m","code":7})");
  EXPECT_EQ(status.code, 0);
  EXPECT_EQ(status.message, R"({"kind":"Node","message":"m","code":7})");
}

TEST(Status, RecordedRefusalInProtobufIsRead) {
  const Status status = decode_status(recorded("error-not-found.pb"));
  EXPECT_EQ(status.code, 404);
  EXPECT_EQ(status.reason, "NotFound");
  EXPECT_EQ(status.message, "nodes \"no-such-node\" not found");
  EXPECT_EQ(status.retry_after, std::nullopt);
}

TEST(Status, BodyThatIsBinaryIsShownPrintable) {
  const std::string message = decode_status(recorded("get-node.pb")).message;
  EXPECT_NE(message.find("Node"), std::string::npos);
  for (const char character : message) EXPECT_TRUE(character >= ' ' && character <= '~');
}

TEST(Status, LongTextIsCut) {
  EXPECT_EQ(decode_status(std::string(100000, 'x')).message.size(), 200U);
}

TEST(Status, AbsurdWaitsAreLimited) {
  const auto wait = [](const std::string& seconds) {
    return decode_status(R"({"kind":"Status","details":{"retryAfterSeconds":)" + seconds + "}}")
        .retry_after;
  };
  EXPECT_EQ(wait("0"), 0s);
  EXPECT_EQ(wait("32"), 32s);
  EXPECT_EQ(wait("-7"), 0s);
  EXPECT_EQ(wait("9223372036854775807"), 1h);
}

TEST(Status, FieldOfTheWrongTypeMakesItPlainText) {
  const std::string body = R"({"kind":"Status","code":"404"})";
  EXPECT_EQ(decode_status(body).message, body);
}

}  // namespace
}  // namespace nlc::api

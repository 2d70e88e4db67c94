#include "net/http_client/response_reader.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>

namespace nlc::tests {
namespace {

using net::ResponseReader;

struct Reading {
  std::string body;
  ResponseReader reader{[this](std::string_view piece) { body += piece; }};
  std::optional<ResponseReader::Problem> problem;

  void feed(std::string_view bytes) {
    while (!bytes.empty() && !problem) {
      const std::span<char> space = reader.space();
      const std::size_t size = std::min(space.size(), bytes.size());
      std::memcpy(space.data(), bytes.data(), size);
      problem = reader.filled(size);
      bytes.remove_prefix(size);
    }
  }
};

const std::string chunked =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    "4\r\nabcd\r\n3;ext=1\r\nefg\r\n0\r\nTrailer: x\r\n\r\n";

TEST(ResponseReader, ResponseMayBeCutAnywhere) {
  for (std::size_t cut = 0; cut <= chunked.size(); ++cut) {
    Reading reading;
    reading.feed(std::string_view(chunked).substr(0, cut));
    reading.feed(std::string_view(chunked).substr(cut));
    EXPECT_FALSE(reading.problem);
    EXPECT_TRUE(reading.reader.is_complete()) << cut;
    EXPECT_TRUE(reading.reader.is_reusable()) << cut;
    EXPECT_EQ(reading.body, "abcdefg") << cut;
    EXPECT_EQ(reading.reader.head().content_type, "application/json");
  }
}

TEST(ResponseReader, EndAnywhereInAChunkedResponseIsUnavailable) {
  for (std::size_t cut = 0; cut < chunked.size(); ++cut) {
    Reading reading;
    reading.feed(std::string_view(chunked).substr(0, cut));
    const auto problem = reading.reader.ended();
    ASSERT_TRUE(problem) << cut;
    EXPECT_EQ(problem->fault, Fault::Unavailable);
  }
}

TEST(ResponseReader, BytesBehindTheResponseMakeTheConnectionUnusable) {
  Reading reading;
  reading.feed(chunked + "HTTP/1.1 200 OK\r\n");
  EXPECT_TRUE(reading.reader.is_complete());
  EXPECT_FALSE(reading.reader.is_reusable());
}

TEST(ResponseReader, InterimAnswersAreReadOver) {
  Reading reading;
  reading.feed("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" +
               chunked);
  EXPECT_FALSE(reading.problem);
  EXPECT_TRUE(reading.reader.is_complete());
  EXPECT_TRUE(reading.reader.is_reusable());
  EXPECT_EQ(reading.reader.head().status, 200);
  EXPECT_EQ(reading.body, "abcdefg");
}

TEST(ResponseReader, ConnectionCloseIsObeyed) {
  Reading reading;
  reading.feed("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  EXPECT_TRUE(reading.reader.is_complete());
  EXPECT_FALSE(reading.reader.is_reusable());
}

TEST(ResponseReader, NoContentIsCompleteWithItsHead) {
  Reading reading;
  reading.feed("HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_TRUE(reading.reader.is_complete());
  EXPECT_EQ(reading.reader.head().status, 204);
}

TEST(ResponseReader, HugeContentLengthCostsNothingByItself) {
  Reading reading;
  reading.feed("HTTP/1.1 200 OK\r\nContent-Length: 999999999999999\r\n\r\nabc");
  EXPECT_FALSE(reading.problem);
  EXPECT_EQ(reading.body, "abc");
  EXPECT_FALSE(reading.reader.is_complete());
}

TEST(ResponseReader, WhatIsNoHttpIsMalformed) {
  for (const std::string text : {"garbage\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
                                 "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
                                 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    Reading reading;
    reading.feed(text);
    ASSERT_TRUE(reading.problem) << text;
    EXPECT_EQ(reading.problem->fault, Fault::Malformed);
  }
}

TEST(ResponseReader, EndlessHeadIsMalformed) {
  Reading reading;
  reading.feed("HTTP/1.1 200 OK\r\nX: " + std::string(200'000, 'x'));
  ASSERT_TRUE(reading.problem);
  EXPECT_EQ(reading.problem->fault, Fault::Malformed);
}

TEST(ResponseReader, WhatHasNoEndBetweenChunksIsMalformed) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string endless : {"3;", "3\r\nabc\r\n0\r\nX: "}) {
    Reading reading;
    reading.feed(head + endless + std::string(1'000'000, 'x'));
    ASSERT_TRUE(reading.problem) << endless;
    EXPECT_EQ(reading.problem->fault, Fault::Malformed);
  }
}

TEST(ResponseReader, RetryAfterIsWholeSecondsOnly) {
  const auto retry_after = [](const std::string& value) {
    Reading reading;
    reading.feed("HTTP/1.1 429 X\r\nContent-Length: 0\r\nRetry-After: " + value + "\r\n\r\n");
    return reading.reader.head().retry_after;
  };
  EXPECT_EQ(retry_after("1"), std::chrono::seconds(1));
  EXPECT_EQ(retry_after("0"), std::chrono::seconds(0));
  EXPECT_EQ(retry_after("1.5"), std::nullopt);
  EXPECT_EQ(retry_after("-1"), std::nullopt);
  EXPECT_EQ(retry_after("99999999999"), std::nullopt);
  EXPECT_EQ(retry_after("Sun, 06 Nov 1994 08:49:37 GMT"), std::nullopt);
}

}  // namespace
}  // namespace nlc::tests

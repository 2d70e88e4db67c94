#include "client/refusal.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "tests/conformance/recorded.h"

namespace nlc::client {
namespace {

using namespace std::chrono_literals;
using conformance::recorded;

const Request patch{.method = "PATCH", .target = "/api/v1/nodes/n1?fieldManager=x"};

Error refused(int status, std::string body = "") {
  return refusal(patch, {.status = status, .body = std::move(body)});
}

struct Recorded {
  const char* file;
  int status;
  Fault fault;
};

TEST(Refusal, RecordedAnswersHaveTheirFaults) {
  for (const Recorded& answer : {
           Recorded{"error-already-exists.json", 409, Fault::AlreadyExists},
           {"error-anonymous.json", 401, Fault::Unauthorized},
           {"error-bad-token.json", 401, Fault::Unauthorized},
           {"error-bad-field-selector.json", 400, Fault::Invalid},
           {"error-bad-label-selector.json", 400, Fault::Invalid},
           {"error-conflict-rv.json", 409, Fault::Conflict},
           {"error-conflict-uid.json", 422, Fault::Conflict},
           {"error-continue-expired.json", 410, Fault::Gone},
           {"error-forbidden.json", 403, Fault::Forbidden},
           {"error-forbidden-patch.json", 403, Fault::Forbidden},
           {"error-invalid-lease.json", 422, Fault::Invalid},
           {"error-invalid-taint.json", 422, Fault::Invalid},
           {"error-json-patch-test.json", 422, Fault::Invalid},
           {"error-list-exact-expired.json", 410, Fault::Gone},
           {"error-malformed-body.json", 400, Fault::Invalid},
           {"error-match-without-rv.json", 422, Fault::Invalid},
           {"error-not-acceptable.json", 406, Fault::Invalid},
           {"error-not-found.json", 404, Fault::NotFound},
           {"error-pod-delete-uid.json", 409, Fault::Conflict},
           {"error-put-conflict.json", 409, Fault::Conflict},
           {"error-put-without-rv.json", 422, Fault::Invalid},
           {"error-rv-exact-unknown.json", 410, Fault::Gone},
           {"error-rv-invalid.json", 400, Fault::Invalid},
           {"error-rv-too-large.json", 504, Fault::TooLarge},
           {"error-unknown-group.txt", 404, Fault::NotFound},
           {"error-unknown-resource.json", 404, Fault::NotFound},
           {"error-unsupported-media.json", 415, Fault::Invalid},
       }) {
    EXPECT_EQ(refused(answer.status, recorded(answer.file)).fault, answer.fault) << answer.file;
  }
}

TEST(ServerWords, AreOneLineOfFourHundredBytesAtMost) {
  const std::string told = server_words("first\nsecond\r\n\x1b[31m" + std::string(1'000'000, 'x'));
  EXPECT_EQ(told.size(), 400U);
  EXPECT_TRUE(told.starts_with("first second"));
  EXPECT_TRUE(told.ends_with("x..."));
  for (const char letter : told) EXPECT_GE(letter, ' ');
  EXPECT_EQ(server_words("\x1f"
                         "first\x7f"
                         "second"),
            " first second");
  EXPECT_EQ(server_words(std::string(400, 'x')), std::string(400, 'x'));
}

TEST(ServerWords, ShortOnesStayAsTheyAre) {
  EXPECT_EQ(server_words("nodes \"n1\" not found"), "nodes \"n1\" not found");
  for (const std::string words :
       {"invalid bearer token, basic authentication is off", "basic authorization is off",
        "basically-wrong", "no bearer", "no bearer ", "no bearer: authentication is off"}) {
    EXPECT_EQ(server_words(words), words);
  }
}

TEST(ServerWords, ATokenHasSixLettersAndAfterBasicTwentyOrOneThatIsNoSmallLetter) {
  EXPECT_EQ(server_words("Bearer secre"), "Bearer secre");
  EXPECT_EQ(server_words("Bearer secret"), "Bearer [redacted]");
  EXPECT_EQ(server_words("Basic " + std::string(19, 's')), "Basic " + std::string(19, 's'));
  EXPECT_EQ(server_words("Basic " + std::string(20, 's')), "Basic [redacted]");
  EXPECT_EQ(server_words("Basic Secret"), "Basic [redacted]");
}

TEST(ServerWords, ATokenMayBeOfEveryLetterDigitAndSignThatTokensAreMadeOf) {
  for (const char letter : std::string_view("09AZaz-._~+/=%")) {
    EXPECT_EQ(server_words("Bearer x" + std::string(20, letter)), "Bearer [redacted]") << letter;
  }
}

TEST(ServerWords, AreNotCutInTheMiddleOfACharacter) {
  std::string text = "x";
  for (int i = 0; i < 300; ++i) text += "\u00e4";
  const std::string told = server_words(text);
  EXPECT_LE(told.size(), 400U);
  EXPECT_TRUE(told.ends_with("\u00e4..."));
}

TEST(ServerWords, OfWhatIsNoUtf8OnlyPlainLettersAreKept) {
  EXPECT_EQ(server_words("proxy: \xff\xfe \u00e4"), "proxy: ?? ??");
  EXPECT_EQ(server_words("proxy: \x80"), "proxy: ?");
  EXPECT_EQ(server_words("proxy: \u00e4"), "proxy: \u00e4");
}

TEST(ServerWords, HoldNoCredentials) {
  for (const std::string text :
       {"GET / Authorization: Bearer s3cret-token.of/ada==", "authorization=bearer%20s3cret-token",
        "{\"Authorization\":[\"Bearer  s3cret-token\"]}", "Basic s3cret-token:",
        "you sent eyJhbGciOiJ.s3cret-token.c2ln to me", "BEARER\ts3cret-token"}) {
    const std::string told = server_words(text);
    EXPECT_EQ(told.find("s3cret"), std::string::npos) << told;
    EXPECT_NE(told.find("[redacted]"), std::string::npos) << told;
  }
}

TEST(ServerWords, TokenOnTheLimitIsRedactedWhole) {
  const std::string told = server_words(std::string(380, 'x') + " Bearer " + std::string(900, 's'));
  EXPECT_EQ(told.find("sss"), std::string::npos) << told;
}

TEST(Refusal, WhatAServerSaysIsTakenAsItsWords) {
  const Error error = refused(403, "no:\n" + std::string(5000, 'x') + " Bearer s3cret-token");
  EXPECT_LT(error.path.size(), 500U);
  EXPECT_EQ(error.path.find('\n'), std::string::npos);
  const std::string status =
      R"({"kind":"Status","apiVersion":"v1","reason":"Bearer s3cret-token","message":"for Bearer s3cret-token"})";
  EXPECT_EQ(refused(403, status).path.find("s3cret"), std::string::npos);
}

TEST(Refusal, StatusAloneIsEnoughForAFault) {
  EXPECT_EQ(refused(401).fault, Fault::Unauthorized);
  EXPECT_EQ(refused(403).fault, Fault::Forbidden);
  EXPECT_EQ(refused(404).fault, Fault::NotFound);
  EXPECT_EQ(refused(405).fault, Fault::Invalid);
  EXPECT_EQ(refused(409).fault, Fault::Conflict);
  EXPECT_EQ(refused(410).fault, Fault::Gone);
  EXPECT_EQ(refused(413).fault, Fault::Invalid);
  EXPECT_EQ(refused(422).fault, Fault::Invalid);
  EXPECT_EQ(refused(429).fault, Fault::Throttled);
  EXPECT_EQ(refused(500).fault, Fault::Unavailable);
  EXPECT_EQ(refused(502).fault, Fault::Unavailable);
  EXPECT_EQ(refused(503).fault, Fault::Unavailable);
  EXPECT_EQ(refused(504).fault, Fault::Timeout);
}

TEST(Refusal, AnswerThatNoApiServerGivesIsMalformed) {
  for (const int status : {0, 100, 301, 302, 307, 399}) {
    EXPECT_EQ(refused(status).fault, Fault::Malformed) << status;
  }
}

TEST(Refusal, TooLargeHasThreeSpellings) {
  const std::string by_cause_reason =
      R"({"kind":"Status","reason":"Timeout","message":"Timeout: wait",)"
      R"("details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}})";
  const std::string by_cause_message =
      R"({"kind":"Status","reason":"Timeout","message":"Timeout: wait",)"
      R"("details":{"causes":[{"message":"Too large resource version"}]}})";
  const std::string by_message =
      R"({"kind":"Status","reason":"Timeout","message":"Too large resource version: 9, current: 5"})";
  for (const std::string& body : {by_cause_reason, by_cause_message, by_message}) {
    EXPECT_EQ(refused(504, body).fault, Fault::TooLarge) << body;
  }
}

TEST(Refusal, OtherTimeoutsAreTimeouts) {
  EXPECT_EQ(refused(504, R"({"kind":"Status","reason":"Timeout","message":"Timeout: etcd"})").fault,
            Fault::Timeout);
}

TEST(Refusal, OverloadInPlainTextIsThrottledWithTheHeadersWait) {
  const Error error = refusal(patch, {.status = 429,
                                      .content_type = "text/plain; charset=utf-8",
                                      .retry_after = 1s,
                                      .body = "Too many requests, please try again later.\n"});
  EXPECT_EQ(error.fault, Fault::Throttled);
  EXPECT_EQ(error.retry_after, 1s);
  EXPECT_EQ(error.path, "PATCH /api/v1/nodes/n1: 429: Too many requests, please try again later.");
}

TEST(Refusal, ServerThatShutsDownAsksToComeBack) {
  const Error error = refusal(patch, {.status = 503, .retry_after = 1s});
  EXPECT_EQ(error.fault, Fault::Throttled);
  EXPECT_EQ(error.retry_after, 1s);
}

TEST(Refusal, HeadersWaitWinsOverTheBodys) {
  const std::string body = R"({"kind":"Status","details":{"retryAfterSeconds":7}})";
  EXPECT_EQ(refusal(patch, {.status = 429, .retry_after = 2s, .body = body}).retry_after, 2s);
  EXPECT_EQ(refusal(patch, {.status = 429, .body = body}).retry_after, 7s);
  EXPECT_EQ(refusal(patch, {.status = 429}).retry_after, std::nullopt);
}

TEST(Refusal, PathNamesRequestReasonAndTheServersMessage) {
  EXPECT_EQ(refused(409, recorded("error-conflict-rv.json")).path,
            "PATCH /api/v1/nodes/n1: 409 Conflict: Operation cannot be fulfilled on nodes "
            "\"recorded\": the object has been modified; please apply your changes to the latest "
            "version and try again");
}

TEST(Refusal, BodyThatLiesAboutItsCodeDoesNotMatter) {
  EXPECT_EQ(refused(404, R"({"kind":"Status","code":200,"reason":"AlreadyExists"})").fault,
            Fault::NotFound);
}

TEST(Accepted, EveryAnswerOfTheTwoHundredsPasses) {
  for (const int status : {200, 201, 202, 299}) {
    const Result<Response> answer = accepted(patch, Response{.status = status, .body = "b"});
    ASSERT_TRUE(answer) << status;
    EXPECT_EQ(answer->body, "b");
  }
  EXPECT_FALSE(accepted(patch, Response{.status = 199}));
  EXPECT_FALSE(accepted(patch, Response{.status = 300}));
}

TEST(Accepted, ErrorWithoutAnAnswerGetsTheNameOfItsRequest) {
  const Result<Response> answer = accepted(patch, Error{Fault::Unavailable, "connection refused"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::Unavailable);
  EXPECT_EQ(answer.error().path, "PATCH /api/v1/nodes/n1: connection refused");
}

}  // namespace
}  // namespace nlc::client

#include "api/access_review.h"

#include <gtest/gtest.h>

namespace nlc::api {
namespace {

TEST(AccessReview, BodyOfATokenReviewIsExactlyThis) {
  EXPECT_EQ(encode_token_review("abc.def-1"),
            R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1",)"
            R"("spec":{"token":"abc.def-1"}})");
}

TEST(AccessReview, WhoeverIsAuthenticatedIsReadWithAllThatARightMayHangOn) {
  const auto user = decode_token_review(
      R"({"kind":"TokenReview","status":{"authenticated":true,"audiences":["x"],"user":{
          "username":"system:serviceaccount:monitoring:prometheus","uid":"u-1",
          "groups":["system:serviceaccounts","system:authenticated"],
          "extra":{"authentication.kubernetes.io/credential-id":["JTI=1"]}}}})");
  ASSERT_TRUE(user) << user.error().path;
  EXPECT_EQ(*user, (User{.name = "system:serviceaccount:monitoring:prometheus",
                         .uid = "u-1",
                         .groups = {"system:serviceaccounts", "system:authenticated"},
                         .extra = {{"authentication.kubernetes.io/credential-id", {"JTI=1"}}}}));
}

TEST(AccessReview, TokenThatIsNotAcceptedIsNobodys) {
  const auto user = decode_token_review(
      R"({"kind":"TokenReview","status":{"error":"token has expired","user":{}}})");
  ASSERT_TRUE(user);
  EXPECT_EQ(*user, std::nullopt);
}

TEST(AccessReview, BodyOfAnAccessReviewIsExactlyThis) {
  EXPECT_EQ(encode_access_review(
                {.user = {.name = "a", .uid = "1", .groups = {"g", "h"}, .extra = {{"k", {"v"}}}},
                 .verb = "get",
                 .path = "/metrics"}),
            R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{)"
            R"("nonResourceAttributes":{"path":"/metrics","verb":"get"},"user":"a",)"
            R"("groups":["g","h"],"extra":{"k":["v"]},"uid":"1"}})");
}

TEST(AccessReview, OnlyAllowedAndNotDeniedIsAYes) {
  const auto read = [](const std::string& status) {
    const auto answer =
        decode_access_review(R"({"kind":"SubjectAccessReview","status":)" + status + "}");
    return answer && *answer;
  };
  EXPECT_TRUE(read(R"({"allowed":true,"reason":"RBAC"})"));
  EXPECT_FALSE(read(R"({"allowed":false})"));
  EXPECT_FALSE(read(R"({})"));
  EXPECT_FALSE(read(R"({"allowed":true,"denied":true})"));
}

TEST(AccessReview, WhatIsNoReviewIsNoAnswer) {
  for (const char* body :
       {"", "{}", "[]", R"({"kind":"Status","status":"Failure"})", R"({"kind":"TokenReview"})",
        R"({"kind":"TokenReview","status":{"authenticated":"yes"}})",
        R"({"kind":"TokenReview","status":{"authenticated":true}})",
        R"({"kind":"TokenReview","status":{"authenticated":true,"user":{}}})",
        R"({"kind":"SubjectAccessReview","status":{"authenticated":true}})"}) {
    EXPECT_FALSE(decode_token_review(body)) << body;
  }
  for (const char* body : {"", "{}", R"({"kind":"TokenReview","status":{"allowed":true}})",
                           R"({"kind":"SubjectAccessReview"})",
                           R"({"kind":"SubjectAccessReview","status":{"allowed":1}})"}) {
    EXPECT_FALSE(decode_access_review(body)) << body;
  }
}

TEST(AccessReview, TokenOfWildBytesIsStillOneString) {
  EXPECT_NE(encode_token_review("a\xff\"b").find(R"(\"b"}})"), std::string::npos);
}

}  // namespace
}  // namespace nlc::api

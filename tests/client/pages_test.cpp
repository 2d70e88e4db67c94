#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "client/verbs.h"
#include "held_transport.h"
#include "tests/conformance/recorded.h"

namespace nlc::client {
namespace {

using conformance::recorded;

TEST(PageTarget, FirstPageAsksForTheNewestOrForNoOlderThan) {
  EXPECT_EQ(page_target(nodes_path, {}), "/api/v1/nodes?limit=500");
  EXPECT_EQ(page_target(nodes_path, {.resource_version = "0"}),
            "/api/v1/nodes?limit=500&resourceVersion=0&resourceVersionMatch=NotOlderThan");
  EXPECT_EQ(page_target(pods_path, {.resource_version = "17", .limit = 2}),
            "/api/v1/pods?limit=2&resourceVersion=17&resourceVersionMatch=NotOlderThan");
}

TEST(PageTarget, TokenIsEscaped) {
  EXPECT_EQ(page_target(nodes_path, {.continue_token = "a+b/c=="}),
            "/api/v1/nodes?limit=500&continue=a%2Bb%2Fc%3D%3D");
}

TEST(PageTarget, TokenAndVersionNeverComeTogether) {
  for (const char* version : {"", "0", "1", "99999999999999999999"}) {
    for (const char* token : {"", "t", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ"}) {
      for (const int limit : {1, 500}) {
        const std::string target = page_target(
            nodes_path, {.resource_version = version, .continue_token = token, .limit = limit});
        const bool has_token = target.find("continue=") != std::string::npos;
        const bool has_version = target.find("resourceVersion") != std::string::npos;
        EXPECT_FALSE(has_token && has_version) << target;
        EXPECT_EQ(has_token, *token != '\0') << target;
        EXPECT_NE(target.find("limit=" + std::to_string(limit)), std::string::npos);
      }
    }
  }
}

TEST(Page, IsReadWithItsToken) {
  HeldTransport transport;
  std::optional<Result<api::ListPage<api::Node>>> result;
  get_page<api::Node>(transport, {.limit = 1}, [&](auto page) { result.emplace(std::move(page)); });
  EXPECT_EQ(transport.sent[0].request.target, "/api/v1/nodes?limit=1");
  EXPECT_EQ(transport.sent[0].request.priority, RequestPriority::List);
  transport.answer_last(200, recorded("list-nodes-limit-1.json"));
  ASSERT_TRUE(result && *result);
  EXPECT_EQ((**result).items.size(), 1U);
  EXPECT_NE((**result).continue_token, "");
}

TEST(Page, EachKindIsListedInItsOwnCollection) {
  HeldTransport transport;
  get_page<api::Pod>(transport, {}, [](const auto&) {});
  get_page<api::NodeLease>(transport, {}, [](const auto&) {});
  EXPECT_EQ(transport.sent[0].request.target, "/api/v1/pods?limit=500");
  EXPECT_EQ(transport.sent[1].request.target,
            "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases?limit=500");
}

TEST(Page, ExpiredTokenIsGone) {
  HeldTransport transport;
  std::optional<Result<api::ListPage<api::Node>>> result;
  get_page<api::Node>(transport, {.continue_token = "t"},
                      [&](auto page) { result.emplace(std::move(page)); });
  transport.answer_last(410, recorded("error-continue-expired.json"));
  ASSERT_TRUE(result && !*result);
  EXPECT_EQ(result->error().fault, Fault::Gone);
}

TEST(Page, ListThatCannotBeReadNamesTheRequest) {
  HeldTransport transport;
  std::optional<Result<api::ListPage<api::Node>>> result;
  get_page<api::Node>(transport, {}, [&](auto page) { result.emplace(std::move(page)); });
  transport.answer_last(200, recorded("list-nodes-table.json"));
  ASSERT_TRUE(result && !*result);
  EXPECT_EQ(result->error().fault, Fault::Malformed);
  EXPECT_EQ(result->error().path,
            "GET /api/v1/nodes?limit=500: expected a NodeList, got kind \"Table\"");
}

/// They go to the log; a proxy may send our own token back to us.
TEST(Page, WhatIsToldOfAnUnreadableListOrItemSteersNoTerminalAndHasNoCredentials) {
  HeldTransport transport;
  std::optional<Result<api::ListPage<api::Node>>> result;
  const auto take = [&](auto page) { result.emplace(std::move(page)); };
  get_page<api::Node>(transport, {}, take);
  transport.answer_last(200, R"({"kind":"Bearer secret-token","apiVersion":"v1"})");
  ASSERT_TRUE(result && !*result);
  EXPECT_EQ(result->error().path,
            "GET /api/v1/nodes?limit=500: expected a NodeList, got kind \"Bearer [redacted]\"");

  get_page<api::Node>(transport, {}, take);
  transport.answer_last(200, R"({"kind":"NodeList","apiVersion":"v1",
      "metadata":{"resourceVersion":"1"},
      "items":[{"metadata":{"name":"n\u001b[31m"},"spec":5}]})");
  ASSERT_TRUE(result && *result && (**result).malformed.size() == 1);
  EXPECT_EQ((**result).malformed[0].key, "n\x1b[31m");
  EXPECT_EQ((**result).malformed[0].problem,
            "item 0: Node n [31m: field unschedulable has the wrong type");
}

}  // namespace
}  // namespace nlc::client

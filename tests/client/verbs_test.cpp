#include "client/verbs.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "held_transport.h"
#include "tests/conformance/recorded.h"

namespace nlc::client {
namespace {

using namespace std::chrono_literals;
using conformance::recorded;

constexpr const char* strategic_merge = "application/strategic-merge-patch+json";

template <typename T>
Done<T> kept(std::optional<Result<T>>& place) {
  return [&place](Result<T> result) { place.emplace(std::move(result)); };
}

void expect_sent(const HeldTransport& transport, const std::string& line, RequestPriority priority,
                 std::string_view accept = "application/json") {
  ASSERT_EQ(transport.sent.size(), 1U);
  const Request& request = transport.sent[0].request;
  EXPECT_EQ(request.method + " " + request.target, line);
  EXPECT_EQ(request.priority, priority);
  EXPECT_EQ(request.accept, accept);
}

TEST(NodeVerbs, StatusIsPatchedOnTheGatedPriorityOfNodes) {
  HeldTransport transport;
  std::optional<Result<api::Node>> result;
  patch_node_status(transport, "n1", "{}", kept(result));
  expect_sent(transport, "PATCH /api/v1/nodes/n1/status", RequestPriority::NodeStatus,
              api::accepted_encodings);
  EXPECT_EQ(transport.sent[0].request.content_type, strategic_merge);
  EXPECT_EQ(transport.sent[0].request.body, "{}");
  EXPECT_FALSE(result);
  transport.answer_last(200, recorded("get-node.json"));
  ASSERT_TRUE(result && *result);
  EXPECT_EQ((**result).name, "hollow-1");
}

TEST(NodeVerbs, TaintsAndLabelsArePatchedOnTheNodeItself) {
  HeldTransport transport;
  patch_node(transport, "n1", "{}", [](const Result<api::Node>&) {});
  expect_sent(transport, "PATCH /api/v1/nodes/n1", RequestPriority::NodeWrite,
              api::accepted_encodings);
  EXPECT_EQ(transport.sent[0].request.content_type, strategic_merge);
}

TEST(NodeVerbs, ReadIsAQuorumRead) {
  HeldTransport transport;
  get_node(transport, "n1", [](const Result<api::Node>&) {});
  expect_sent(transport, "GET /api/v1/nodes/n1", RequestPriority::Read, api::accepted_encodings);
  EXPECT_EQ(transport.sent[0].request.body, "");
}

TEST(NodeVerbs, CachedReadLeavesTheServerAnyVersion) {
  HeldTransport transport;
  get_cached_node(transport, "n1", [](const Result<api::Node>&) {});
  expect_sent(transport, "GET /api/v1/nodes/n1?resourceVersion=0", RequestPriority::Read,
              api::accepted_encodings);
}

TEST(NodeVerbs, AnswersAreReadInTheEncodingThatTheServerChose) {
  constexpr const char* protobuf = "application/vnd.kubernetes.protobuf";
  HeldTransport transport;
  std::optional<Result<api::Node>> result;
  patch_node(transport, "hollow-1", "{}", kept(result));
  transport.answer(
      0, Response{.status = 200, .content_type = protobuf, .body = recorded("get-node.pb")});
  ASSERT_TRUE(result && *result);
  EXPECT_EQ((**result).name, "hollow-1");

  patch_node(transport, "hollow-1", "{}", kept(result));
  transport.answer(
      1, Response{.status = 404, .content_type = protobuf, .body = recorded("error-not-found.pb")});
  ASSERT_TRUE(result && !*result);
  EXPECT_EQ(result->error().fault, Fault::NotFound);
}

TEST(NodeVerbs, HeartbeatIsReadFromItsOwnNamespace) {
  HeldTransport transport;
  get_node_lease(transport, "n1", [](const Result<api::NodeLease>&) {});
  expect_sent(transport, "GET /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1",
              RequestPriority::LeaseRead, api::accepted_encodings);
}

TEST(PodVerbs, StatusIsPatchedOnTheGatedPriorityOfPods) {
  HeldTransport transport;
  patch_pod_status(transport, "shop", "p1", "{}", [](const Result<api::Pod>&) {});
  expect_sent(transport, "PATCH /api/v1/namespaces/shop/pods/p1/status", RequestPriority::PodWrite,
              api::accepted_encodings);
  EXPECT_EQ(transport.sent[0].request.content_type, strategic_merge);
}

TEST(PodVerbs, DeletionCarriesItsOptionsAndAsksForNoAnswer) {
  HeldTransport transport;
  std::optional<Result<std::monostate>> result;
  delete_pod(transport, "shop", "p1", api::delete_options({.uid = "u1"}), kept(result));
  expect_sent(transport, "DELETE /api/v1/namespaces/shop/pods/p1", RequestPriority::PodWrite);
  EXPECT_EQ(transport.sent[0].request.content_type, "application/json");
  EXPECT_NE(transport.sent[0].request.body.find("\"uid\":\"u1\""), std::string::npos);
  transport.answer_last(200, "whatever it is");
  ASSERT_TRUE(result);
  EXPECT_TRUE(*result);
}

TEST(PodVerbs, ReadIsAQuorumRead) {
  HeldTransport transport;
  get_pod(transport, "shop", "p1", [](const Result<api::Pod>&) {});
  expect_sent(transport, "GET /api/v1/namespaces/shop/pods/p1", RequestPriority::Read,
              api::accepted_encodings);
}

TEST(PodVerbs, ReadForAWriteThatFailedBeforeWaitsLikeThatWrite) {
  HeldTransport transport;
  get_pod(
      transport, "shop", "p1", [](const Result<api::Pod>&) {}, Try::Again);
  EXPECT_EQ(transport.sent[0].request.attempt, Try::Again);
}

const api::Lease leader{.namespace_ = "kube-system", .name = "nlc", .holder = "a"};

TEST(LeaseVerbs, ReadTakesPriorityAndTimeoutOfItsCaller) {
  HeldTransport transport;
  get_lease(transport, RequestPriority::Election, "kube-system", "nlc", 5s,
            [](const Result<api::Lease>&) {});
  expect_sent(transport, "GET /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/nlc",
              RequestPriority::Election);
  EXPECT_EQ(transport.sent[0].request.timeout, 5s);
}

TEST(LeaseVerbs, CreationIsPostedToTheCollection) {
  HeldTransport transport;
  std::optional<Result<api::Lease>> result;
  create_lease(transport, RequestPriority::Election, leader, 5s, kept(result));
  expect_sent(transport, "POST /apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
              RequestPriority::Election);
  EXPECT_EQ(transport.sent[0].request.body, api::encode_lease(leader));
  EXPECT_EQ(transport.sent[0].request.timeout, 5s);
  transport.answer_last(409, recorded("error-already-exists.json"));
  ASSERT_TRUE(result && !*result);
  EXPECT_EQ(result->error().fault, Fault::AlreadyExists);
}

TEST(LeaseVerbs, UpdateReplacesTheWholeLease) {
  HeldTransport transport;
  std::optional<Result<api::Lease>> result;
  update_lease(transport, RequestPriority::Election, leader, 5s, kept(result));
  expect_sent(transport, "PUT /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/nlc",
              RequestPriority::Election);
  transport.answer_last(200, api::encode_lease(leader));
  ASSERT_TRUE(result && *result);
  EXPECT_EQ((**result).holder, "a");
}

TEST(EventVerbs, EventIsPostedToItsNamespace) {
  HeldTransport transport;
  create_event(transport, {.namespace_ = "default", .name = "e"},
               [](const Result<std::monostate>&) {});
  expect_sent(transport, "POST /api/v1/namespaces/default/events", RequestPriority::Event);
  EXPECT_EQ(transport.sent[0].request.content_type, "application/json");
}

TEST(EventVerbs, RepeatedEventIsPatched) {
  HeldTransport transport;
  count_event(transport, {.namespace_ = "default", .name = "n1.17f", .count = 3},
              [](const Result<std::monostate>&) {});
  expect_sent(transport, "PATCH /api/v1/namespaces/default/events/n1.17f", RequestPriority::Event);
  EXPECT_EQ(transport.sent[0].request.content_type, strategic_merge);
}

TEST(Verb, NamesOfObjectsCannotLeaveTheirPlaceInThePath) {
  HeldTransport transport;
  get_node(transport, "../pods?x=1", [](const Result<api::Node>&) {});
  EXPECT_EQ(transport.sent[0].request.target, "/api/v1/nodes/..%2Fpods%3Fx%3D1");
}

TEST(Verb, RefusalNamesTheRequest) {
  HeldTransport transport;
  std::optional<Result<api::Node>> result;
  get_node(transport, "no-such-node", kept(result));
  transport.answer_last(404, recorded("error-not-found.json"));
  ASSERT_TRUE(result && !*result);
  EXPECT_EQ(result->error().fault, Fault::NotFound);
  EXPECT_EQ(result->error().path,
            "GET /api/v1/nodes/no-such-node: 404 NotFound: nodes \"no-such-node\" not found");
}

TEST(Verb, AnswerThatCannotBeReadIsMalformedAndNamesTheRequest) {
  HeldTransport transport;
  std::optional<Result<api::Node>> result;
  get_node(transport, "n1", kept(result));
  transport.answer_last(200, "{}");
  ASSERT_TRUE(result && !*result);
  EXPECT_EQ(result->error().fault, Fault::Malformed);
  EXPECT_EQ(result->error().path, "GET /api/v1/nodes/n1: metadata is missing");
}

TEST(Verb, ErrorOfTheTransportIsHandedOn) {
  HeldTransport transport;
  std::optional<Result<api::Node>> result;
  patch_node(transport, "n1", "{}", kept(result));
  transport.answer(0, Error{Fault::NotLeading, "the gate is closed"});
  ASSERT_TRUE(result && !*result);
  EXPECT_EQ(result->error().fault, Fault::NotLeading);
  EXPECT_EQ(result->error().path, "PATCH /api/v1/nodes/n1: the gate is closed");
}

TEST(Priorities, WhatALeaderWritesIsGatedAndNothingElse) {
  EXPECT_TRUE(is_gated(RequestPriority::NodeStatus));
  EXPECT_TRUE(is_gated(RequestPriority::NodeWrite));
  EXPECT_TRUE(is_gated(RequestPriority::PodWrite));
  EXPECT_FALSE(is_gated(RequestPriority::Election));
  EXPECT_FALSE(is_gated(RequestPriority::LeaseRead));
  EXPECT_FALSE(is_gated(RequestPriority::List));
  EXPECT_FALSE(is_gated(RequestPriority::Read));
  EXPECT_TRUE(is_gated(RequestPriority::Event));
}

TEST(Reviews, AreAskedAfterEverythingElseAndByStandbysToo) {
  EXPECT_EQ(static_cast<std::size_t>(RequestPriority::Review), priority_count - 1);
  EXPECT_FALSE(is_gated(RequestPriority::Review));
  HeldTransport transport;
  std::optional<Result<std::optional<api::User>>> whose;
  review_token(transport, "t", kept(whose));
  expect_sent(transport, "POST /apis/authentication.k8s.io/v1/tokenreviews",
              RequestPriority::Review);
  EXPECT_EQ(transport.sent[0].request.body, api::encode_token_review("t"));
  transport.answer_last(
      201, R"({"kind":"TokenReview","status":{"authenticated":true,"user":{"username":"u"}}})");
  ASSERT_TRUE(whose && *whose);
  EXPECT_EQ((**whose)->name, "u");
}

TEST(Reviews, OfAccessSayYesOrNoAndARefusalIsNeither) {
  const api::AccessQuestion question{.user = {.name = "u"}, .verb = "get", .path = "/metrics"};
  HeldTransport transport;
  std::optional<Result<bool>> may;
  review_access(transport, question, kept(may));
  expect_sent(transport, "POST /apis/authorization.k8s.io/v1/subjectaccessreviews",
              RequestPriority::Review);
  EXPECT_EQ(transport.sent[0].request.body, api::encode_access_review(question));
  transport.answer_last(201, R"({"kind":"SubjectAccessReview","status":{"allowed":true}})");
  EXPECT_TRUE(may && *may && **may);
  review_access(transport, question, kept(may));
  transport.answer_last(403, "");
  ASSERT_FALSE(*may);
  EXPECT_EQ(may->error().fault, Fault::Forbidden);
}

}  // namespace
}  // namespace nlc::client

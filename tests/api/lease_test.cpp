#include "api/lease.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/conformance/recorded.h"

namespace nlc::api {
namespace {

using namespace std::chrono_literals;
using conformance::recorded;

const WallTime noon = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 2}} + 12h + 7us;

Lease leader_lease() {
  return {.namespace_ = "kube-system",
          .name = "node-lifecycle-controller",
          .uid = "u1",
          .resource_version = "42",
          .holder = "host-a_1",
          .duration_seconds = 15,
          .acquired = noon,
          .renewed = noon + 2s,
          .transitions = 3};
}

TEST(Lease, BodyOfAnUpdateIsExactlyThis) {
  EXPECT_EQ(
      encode_lease(leader_lease()),
      R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1",)"
      R"("metadata":{"name":"node-lifecycle-controller","namespace":"kube-system","uid":"u1","resourceVersion":"42"},)"
      R"("spec":{"holderIdentity":"host-a_1","leaseDurationSeconds":15,)"
      R"("acquireTime":"2026-01-02T12:00:00.000007Z","renewTime":"2026-01-02T12:00:02.000007Z",)"
      R"("leaseTransitions":3}})");
}

TEST(Lease, WhatWasWrittenIsReadBack) {
  const Lease written = leader_lease();
  const Result<Lease> read = decode_lease(encode_lease(written));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->namespace_, written.namespace_);
  EXPECT_EQ(read->name, written.name);
  EXPECT_EQ(read->uid, written.uid);
  EXPECT_EQ(read->resource_version, written.resource_version);
  EXPECT_EQ(read->holder, written.holder);
  EXPECT_EQ(read->duration_seconds, written.duration_seconds);
  EXPECT_EQ(read->acquired, written.acquired);
  EXPECT_EQ(read->renewed, written.renewed);
  EXPECT_EQ(read->transitions, written.transitions);
}

TEST(Lease, KubeletsLeaseNamesItsNodeAsOwner) {
  const Lease lease{.namespace_ = "kube-node-lease",
                    .name = "n1",
                    .holder = "n1",
                    .duration_seconds = 40,
                    .renewed = noon,
                    .owner_node = "n1",
                    .owner_node_uid = "u7"};
  EXPECT_EQ(encode_lease(lease),
            R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1",)"
            R"("metadata":{"name":"n1","namespace":"kube-node-lease",)"
            R"("ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n1","uid":"u7"}]},)"
            R"("spec":{"holderIdentity":"n1","leaseDurationSeconds":40,)"
            R"("renewTime":"2026-01-02T12:00:00.000007Z"}})");
}

TEST(Lease, ReleasedLeaseWritesItsEmptyHolder) {
  Lease lease = leader_lease();
  lease.holder.clear();
  const auto json = nlohmann::json::parse(encode_lease(lease));
  EXPECT_EQ(json.at("/spec/holderIdentity"_json_pointer), "");
}

TEST(Lease, RecordedLeaseIsRead) {
  auto item = nlohmann::json::parse(recorded("list-leases.json")).at("items").at(0);
  item["kind"] = "Lease";
  const Result<Lease> lease = decode_lease(item.dump());
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->name, "hollow-1");
  EXPECT_EQ(lease->namespace_, "kube-node-lease");
  EXPECT_EQ(lease->holder, "hollow-1");
  EXPECT_EQ(lease->duration_seconds, 40);
  EXPECT_EQ(rfc3339_micro(lease->renewed.value()), "2026-11-21T09:46:26.822869Z");
  EXPECT_FALSE(lease->acquired);
}

TEST(Lease, AbsentAndNullFieldsAreNothing) {
  for (const char* spec : {"", R"(,"spec":null)", R"(,"spec":{})",
                           R"(,"spec":{"holderIdentity":null,"leaseDurationSeconds":null})"}) {
    const Result<Lease> lease = decode_lease(
        std::string(R"({"kind":"Lease","metadata":{"name":"l","namespace":"s"})") + spec + "}");
    ASSERT_TRUE(lease) << spec;
    EXPECT_EQ(lease->holder, "");
    EXPECT_FALSE(lease->duration_seconds);
    EXPECT_FALSE(lease->renewed);
  }
}

TEST(Lease, WhatIsNoLeaseIsMalformed) {
  for (const char* body :
       {"", "[]", "{}", R"({"kind":"Node","metadata":{"name":"n"}})", R"({"kind":"Lease"})",
        R"({"kind":"Lease","metadata":{}})", R"({"kind":"Lease","metadata":{"name":7}})",
        R"({"kind":"Lease","metadata":{"name":"l"},"spec":{"leaseDurationSeconds":"15"}})"}) {
    const Result<Lease> lease = decode_lease(body);
    ASSERT_FALSE(lease) << body;
    EXPECT_EQ(lease.error().fault, Fault::Malformed);
  }
}

TEST(Lease, WhatOthersPutOnItSurvivesAPut) {
  const Result<Lease> lease = decode_lease(R"({"kind":"Lease","metadata":{"name":"l",
      "namespace":"kube-system","uid":"u","resourceVersion":"7","labels":{"team":"a"},
      "annotations":{"note":"x \"y\""},"ownerReferences":[{"kind":"Pod","name":"p"}],
      "finalizers":["example.com/f"],"managedFields":[{"manager":"m"}]},"spec":{}})");
  ASSERT_TRUE(lease);
  const auto metadata = nlohmann::json::parse(encode_lease(*lease)).at("metadata");
  EXPECT_EQ(metadata.at("labels").at("team"), "a");
  EXPECT_EQ(metadata.at("annotations").at("note"), "x \"y\"");
  EXPECT_EQ(metadata.at("ownerReferences").at(0).at("name"), "p");
  EXPECT_EQ(metadata.at("finalizers").at(0), "example.com/f");
  EXPECT_FALSE(metadata.contains("managedFields"));
}

}  // namespace
}  // namespace nlc::api

#include "election/lock/lock_object.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace nlc::election {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

const WallTime then = std::chrono::sys_days{std::chrono::year{2026} / 1 / 2} + 3h + 4min + 5s + 6us;

LockPlace place(Carrier carrier) {
  return {.carrier = carrier, .namespace_ = "foo", .name = "bar"};
}

LockRecord record() {
  LockRecord record;
  record.uid = "u1";
  record.version = "7";
  record.holder = "baz";
  record.duration_seconds = 15;
  record.acquired = then;
  record.renewed = then + 2s;
  record.transitions = 3;
  return record;
}

LockObject object(Carrier carrier, const std::string& rest) {
  Result<LockObject> object = decode_lock(carrier, R"({"kind":")" + std::string(kind_of(carrier)) +
                                                       R"(","metadata":{"name":"bar")" + rest);
  EXPECT_TRUE(object) << object.error().path;
  return object ? *object : LockObject{};
}

std::string annotation_of(const std::string& body) {
  return Json::parse(body).at("metadata").at("annotations").at(std::string(record_annotation));
}

TEST(LockObject, TheAnnotationIsTheTextThatUpstreamWrites) {
  EXPECT_EQ(
      annotation_of(encode_lock(place(Carrier::Endpoints), record(), {})),
      R"({"holderIdentity":"baz","leaseDurationSeconds":15,"acquireTime":"2026-01-02T03:04:05Z",)"
      R"("renewTime":"2026-01-02T03:04:07Z","leaderTransitions":3})");
}

/// The server would take the same text as no change, and who waits would take the holder for dead.
TEST(LockObject, AnAnnotationThatIsRenewedWithinASecondIsAnotherTextAndAnotherTime) {
  const auto after = [](LockRecord next, const std::string& body) {
    return encode_lock(place(Carrier::ConfigMap), next, LockObject{record(), body});
  };
  const std::string first = encode_lock(place(Carrier::ConfigMap), record(), {});
  LockRecord next = record();
  next.acquired = std::chrono::floor<std::chrono::seconds>(*next.acquired);
  next.renewed = *next.renewed + 250ms;
  const std::string second = after(next, first);
  EXPECT_EQ(decode_lock(Carrier::ConfigMap, second)->record.renewed, next.renewed);
  EXPECT_EQ(decode_lock(Carrier::ConfigMap, second)->record.acquired, next.acquired);
  next.renewed = *next.renewed + 250ms;
  EXPECT_EQ(annotation_of(after(next, second)), annotation_of(first)) << "that is a change";
  next.renewed = *next.renewed + 1s;
  EXPECT_NE(annotation_of(after(next, first)).find("\"2026-01-02T03:04:08Z\""), std::string::npos);
}

TEST(LockObject, AnEmptyRecordHasNullTimes) {
  EXPECT_EQ(annotation_of(encode_lock(place(Carrier::ConfigMap), {}, {})),
            R"({"holderIdentity":"","leaseDurationSeconds":0,"acquireTime":null,"renewTime":null,)"
            R"("leaderTransitions":0})");
}

TEST(LockObject, ALeaseHasMicrosecondsAndKeepsAnEmptyHolder) {
  LockRecord released = record();
  released.holder.clear();
  released.duration_seconds = 1;
  released.renewed = then;
  const std::string body = encode_lock(place(Carrier::Lease), released, {});
  EXPECT_NE(body.find(R"("spec":{"holderIdentity":"","leaseDurationSeconds":1,)"
                      R"("acquireTime":"2026-01-02T03:04:05.000006Z",)"
                      R"("renewTime":"2026-01-02T03:04:05.000006Z","leaseTransitions":3})"),
            std::string::npos)
      << body;
}

TEST(LockObject, EveryCarrierGivesBackWhatItWasGiven) {
  for (const Carrier carrier : {Carrier::Lease, Carrier::Endpoints, Carrier::ConfigMap}) {
    LockRecord written = record();
    written.strategy = "OldestEmulationVersion";
    written.preferred_holder = "qux";
    const Result<LockObject> read = decode_lock(carrier, encode_lock(place(carrier), written, {}));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->record.holder, "baz");
    EXPECT_EQ(read->record.duration_seconds, 15);
    EXPECT_EQ(read->record.transitions, 3);
    EXPECT_EQ(read->record.strategy, "OldestEmulationVersion");
    EXPECT_EQ(read->record.preferred_holder, "qux");
    const Duration lost = carrier == Carrier::Lease ? 0us : 6us;
    EXPECT_EQ(read->record.acquired, then - lost);
  }
}

TEST(LockObject, AnUpdateKeepsWhatOthersWroteOnTheObject) {
  const LockObject before =
      object(Carrier::Endpoints,
             R"(,"uid":"u1","resourceVersion":"7","labels":{"a":"b"},"annotations":{"x":"y"},)"
             R"("finalizers":["z"]},"subsets":[{"addresses":[{"ip":"10.0.0.1"}]}]})");
  const Json after = Json::parse(encode_lock(place(Carrier::Endpoints), record(), before));
  EXPECT_EQ(after["metadata"]["labels"], Json({{"a", "b"}}));
  EXPECT_EQ(after["metadata"]["annotations"]["x"], "y");
  EXPECT_EQ(after["metadata"]["finalizers"], Json({"z"}));
  EXPECT_EQ(after["metadata"]["resourceVersion"], "7");
  EXPECT_EQ(after["metadata"]["uid"], "u1");
  EXPECT_EQ(after["subsets"][0]["addresses"][0]["ip"], "10.0.0.1");
}

TEST(LockObject, AnUpdateIsOfTheVersionThatWasDecidedOnAndNotOfANewerOneThatWasSeenSince) {
  const LockObject newer = object(Carrier::Lease, R"(,"resourceVersion":"8"}})");
  EXPECT_EQ(Json::parse(
                encode_lock(place(Carrier::Lease), record(), newer))["metadata"]["resourceVersion"],
            "7");
}

TEST(LockObject, AFreshObjectSaysWhatItIsAndWhere) {
  for (const Carrier carrier : {Carrier::Lease, Carrier::Endpoints, Carrier::ConfigMap}) {
    const Json fresh = Json::parse(encode_lock(place(carrier), record(), {}));
    EXPECT_EQ(fresh["kind"], std::string(kind_of(carrier)));
    EXPECT_EQ(fresh["apiVersion"], std::string(api_version_of(carrier)));
    EXPECT_EQ(fresh["metadata"]["namespace"], "foo");
    EXPECT_EQ(fresh["metadata"]["name"], "bar");
    EXPECT_FALSE(fresh["metadata"].contains("resourceVersion"));
  }
}

TEST(LockObject, OurLabelsOverwriteAndForeignOnesStay) {
  LockPlace ours = place(Carrier::Lease);
  ours.labels = {{"custom-key", "custom-val"}};
  const LockObject before =
      object(Carrier::Lease,
             R"(,"labels":{"custom-key":"new-custom-val","custom-key-2":"custom-val-2"}}})");
  EXPECT_EQ(Json::parse(encode_lock(ours, record(), before))["metadata"]["labels"],
            Json({{"custom-key", "custom-val"}, {"custom-key-2", "custom-val-2"}}));
}

TEST(LockObject, WithoutAnAnnotationTheRecordIsEmpty) {
  const LockObject bare = object(Carrier::ConfigMap, R"(,"uid":"u","resourceVersion":"3"}})");
  EXPECT_EQ(bare.record.holder, "");
  EXPECT_FALSE(bare.record.duration_seconds);
  EXPECT_EQ(bare.record.version, "3");
}

TEST(LockObject, AnAnnotationThatIsNoRecordIsAnError) {
  for (const std::string nonsense : {"hello", "[]", "{", ""}) {
    const Json body{
        {"kind", "ConfigMap"},
        {"metadata",
         {{"name", "bar"}, {"annotations", {{std::string(record_annotation), nonsense}}}}}};
    EXPECT_FALSE(decode_lock(Carrier::ConfigMap, body.dump())) << nonsense;
  }
}

TEST(LockObject, WhatIsNoSuchObjectIsAnError) {
  for (const char* body :
       {"", "null", "[]", "{}", R"({"kind":"Lease"})", R"({"kind":"Lease","metadata":[]})",
        R"({"kind":"Pod","metadata":{"name":"bar"}})", "\xff\xfe"}) {
    EXPECT_FALSE(decode_lock(Carrier::Lease, body)) << body;
  }
}

TEST(LockObject, FieldsOfAWrongTypeAreAsGoodAsAbsent) {
  const LockObject odd =
      object(Carrier::Lease, R"(},"spec":{"holderIdentity":7,"leaseDurationSeconds":"x",)"
                             R"("renewTime":[],"leaseTransitions":{}}})");
  EXPECT_EQ(odd.record.holder, "");
  EXPECT_FALSE(odd.record.duration_seconds);
  EXPECT_EQ(odd.record.transitions, 0);
}

TEST(LockObject, LabelsOfAWrongTypeAreReplaced) {
  LockPlace ours = place(Carrier::Lease);
  ours.labels = {{"a", "b"}};
  const LockObject before = object(Carrier::Lease, R"(,"labels":7}})");
  EXPECT_EQ(Json::parse(encode_lock(ours, record(), before))["metadata"]["labels"],
            Json({{"a", "b"}}));
}

TEST(LockChange, AWatchShowsChangesDeletionsAndItsEnd) {
  const std::string lease =
      R"("object":{"kind":"Lease","metadata":{"name":"bar","resourceVersion":"9"}}})";
  const auto changed = decode_lock_change(place(Carrier::Lease), R"({"type":"MODIFIED",)" + lease);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->object.record.version, "9");
  EXPECT_FALSE(changed->gone);
  EXPECT_TRUE(decode_lock_change(place(Carrier::Lease), R"({"type":"DELETED",)" + lease)->gone);
  EXPECT_FALSE(decode_lock_change(place(Carrier::Lease), R"({"type":"BOOKMARK",)" + lease));
  EXPECT_FALSE(decode_lock_change(place(Carrier::Lease), "nonsense"));
  EXPECT_TRUE(decode_lock_change(place(Carrier::Lease), R"({"type":"ERROR","object":{"code":410}})")
                  ->ended);
}

TEST(LockChange, TheWholeObjectIsKeptHoweverItsLineIsWritten) {
  const std::string lease =
      R"({"kind":"Lease","metadata":{"name":"bar","namespace":"foo"},"spec":{"x":[1]}})";
  for (const std::string& line : {R"({"type":"ADDED","object":)" + lease + "}",
                                  R"({"object":)" + lease + R"(,"type":"ADDED"})",
                                  R"({"type":"ADDED","object":)" + lease + R"(,"more":{}})",
                                  R"({"type": "ADDED", "object": )" + lease + " }"}) {
    const auto change = decode_lock_change(place(Carrier::Lease), line);
    ASSERT_TRUE(change) << line;
    EXPECT_EQ(change->object.text, lease) << line;
  }
}

TEST(LockChange, AnotherObjectIsNamedAndNotTakenForTheLock) {
  const auto shown = [](const std::string& object) {
    return decode_lock_change(place(Carrier::Lease),
                              R"({"type":"MODIFIED","object":)" + object + "}");
  };
  EXPECT_EQ(shown(R"({"kind":"Lease","metadata":{"name":"other","namespace":"foo"}})")->foreign,
            "Lease foo/other");
  EXPECT_EQ(shown(R"({"kind":"Lease","metadata":{"name":"bar","namespace":"else"}})")->foreign,
            "Lease else/bar");
  EXPECT_EQ(shown(R"({"kind":"Pod","metadata":{"name":"bar","namespace":"foo"}})")->foreign,
            "Pod foo/bar");
  EXPECT_EQ(shown(R"({"kind":"Lease","metadata":{"name":"bar","namespace":"foo"}})")->foreign, "");
}

}  // namespace
}  // namespace nlc::election

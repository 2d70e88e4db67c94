#include "sim/rules/request_rules.h"

#include "judged_storage.h"

namespace nlc::sim::rules {
namespace {

class RequestRulesTest : public RulesTest {
 protected:
  /// So often, of one object.
  std::string ask(int times, const std::string& request) {
    std::string broken;
    for (int i = 0; i < times; ++i) broken = send({.verb = "GET", .what = request});
    return broken;
  }
  /// Each of another object.
  std::string ask_for_many(int count, const std::string& replica = "") {
    std::string broken;
    for (int i = 0; i < count; ++i) {
      broken = send({.replica = replica, .verb = "GET", .what = "GET pods/" + std::to_string(i)});
    }
    return broken;
  }
  std::string write(const std::string& verb, const std::string& resource, const Json& body) {
    const std::string text = body.dump();
    return send({.verb = verb, .resource = resource, .what = verb, .body = text});
  }
};

TEST_F(RequestRulesTest, NobodyAsksForTheSameWithoutEnd) {
  EXPECT_EQ(ask(50, "GET nodes/a"), "");
  time_.run_for(10s);
  EXPECT_EQ(ask(50, "GET nodes/a"), "");
  EXPECT_EQ(ask(50, "GET nodes/b"), "");
  EXPECT_EQ(ask(1, "GET nodes/a"), "requests");
}

/// There are two nodes and a pod.
TEST_F(RequestRulesTest, WithoutALimitAReplicaAsksForSoMuchAsNodesAndPodsMayNeed) {
  EXPECT_EQ(ask_for_many(330), "");
  time_.run_for(10s);
  EXPECT_EQ(ask_for_many(330, "a"), "");
  EXPECT_EQ(ask_for_many(330, "b"), "");
  EXPECT_EQ(ask_for_many(1, "a"), "requests");
}

TEST_F(RequestRulesTest, ForNodesAndPodsThatAreGoneItMayStillAsk) {
  (void)ask_for_many(1);
  time_.run_for(10s);
  delete_pod();
  EXPECT_EQ(ask_for_many(330), "");
  EXPECT_EQ(ask_for_many(1), "requests");
}

TEST_F(RequestRulesTest, UnderALimitAReplicaAsksForSoMuchAsThatLetsThroughAndALittle) {
  begin({.requests_per_second = 5, .burst = 10});
  EXPECT_EQ(ask_for_many(150 + 3 * 10 + 10 * 5), "");
  EXPECT_EQ(ask_for_many(1), "requests");
}

TEST_F(RequestRulesTest, WhoDeletesAPodNamesItsUid) {
  EXPECT_EQ(write("DELETE", "pods", {{"preconditions", {{"uid", "uid-p"}}}}), "");
  EXPECT_EQ(write("DELETE", "pods", {{"preconditions", {{"resourceVersion", "7"}}}}), "uid");
}

TEST_F(RequestRulesTest, WhoChangesANodeOrAPodNamesItsUid) {
  for (const char* resource : {"nodes", "pods"}) {
    begin({});
    EXPECT_EQ(write("PATCH", resource, {{"metadata", {{"uid", "uid-a"}}}}), "");
    EXPECT_EQ(write("PATCH", resource, {{"metadata", {{"resourceVersion", "7"}}}}), "uid");
  }
}

TEST_F(RequestRulesTest, UidThatIsEmptyOrWhereNoneBelongsIsNone) {
  for (const Json& body : {Json{{"preconditions", {{"uid", ""}}}},
                           Json{{"metadata", {{"uid", "uid-p"}}}}, Json::array(), Json()}) {
    begin({});
    EXPECT_EQ(write("DELETE", "pods", body), "uid") << body;
  }
}

TEST_F(RequestRulesTest, LocksAndEventsNeedNoUid) {
  EXPECT_EQ(write("PUT", "leases", Json::object()), "");
  EXPECT_EQ(write("PATCH", "events", Json::object()), "");
}

}  // namespace
}  // namespace nlc::sim::rules

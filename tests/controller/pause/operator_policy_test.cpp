#include "controller/pause/operator_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nlc::controller {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string problem_of(const api::Labels& data) { return read_operator_policy(data, {}).trouble; }

OperatorPolicy read(const api::Labels& data) {
  ReadPolicy read = read_operator_policy(data, {});
  EXPECT_EQ(read.trouble, "");
  return std::move(read.policy);
}

// --- the key pause ------------------------------------------------------------------------------

TEST(OperatorPolicy, NothingIsPausedAndNothingLimitedWhereNothingIsSaid) {
  const OperatorPolicy policy = read({});
  EXPECT_THAT(policy.pauses, IsEmpty());
  EXPECT_EQ(policy.pods_per_second, 0);
  EXPECT_EQ(policy.pods_per_second_and_zone, 0);
  EXPECT_FALSE(policy.hold_in_disruption);
}

TEST(OperatorPolicy, OneWordPausesEverything) {
  const OperatorPolicy policy = read({{"pause", "evictions"}});
  ASSERT_THAT(policy.pauses, SizeIs(1));
  EXPECT_EQ(policy.pauses[0].of, PauseOrder::Of::Everything);
  EXPECT_EQ(policy.pauses[0].pause, Pause::Evictions);
}

TEST(OperatorPolicy, EachLinePausesWhatItNames) {
  const OperatorPolicy policy =
      read({{"pause", "evictions zone eu/a\n\n  all nodes pool=gpu, tier!=web\n"}});
  ASSERT_THAT(policy.pauses, SizeIs(2));
  EXPECT_TRUE(policy.pauses[0].is_about("eu/a", {}));
  EXPECT_FALSE(policy.pauses[0].is_about("eu/b", {}));
  EXPECT_TRUE(policy.pauses[1].is_about("eu/b", {{"pool", "gpu"}}));
  EXPECT_FALSE(policy.pauses[1].is_about("eu/b", {{"pool", "gpu"}, {"tier", "web"}}));
}

TEST(OperatorPolicy, ZoneIsNamedByAllOfItOrEitherHalf) {
  for (const char* name : {"eu/a", "eu", "a"}) {
    const OperatorPolicy policy = read({{"pause", "all zone " + std::string(name)}});
    EXPECT_TRUE(policy.pauses.at(0).is_about("eu/a", {})) << name;
    EXPECT_FALSE(policy.pauses.at(0).is_about("us/b", {})) << name;
  }
}

TEST(OperatorPolicy, DashStandsForALabelThatANodeDoesNotHave) {
  const auto pauses = [](const std::string& zone, std::string_view node_zone) {
    return read({{"pause", "all zone " + zone}}).pauses.at(0).is_about(node_zone, {});
  };
  for (const char* none : {"-", "-/-"}) {
    EXPECT_TRUE(pauses(none, "-")) << none;
    EXPECT_FALSE(pauses(none, "-/a")) << none;
    EXPECT_FALSE(pauses(none, "eu/-")) << none;
  }
  EXPECT_TRUE(pauses("-/a", "-/a"));
  EXPECT_FALSE(pauses("-/a", "eu/a"));
  EXPECT_TRUE(pauses("eu/-", "eu/-"));
  EXPECT_FALSE(pauses("eu/-", "eu/a"));
}

TEST(OperatorPolicy, ZoneThatNoNodesLabelsCanNameIsAMistakeInWriting) {
  for (const char* zone : {"eu/a,", "\"eu/a\"", "eu/a;", "eu/a#x", "*", "eu/*", "zone=a", "eu:a",
                           "/a", "eu/", "-a", "eu/a-", "--"}) {
    EXPECT_THAT(problem_of({{"pause", "evictions zone " + std::string(zone)}}),
                HasSubstr("not REGION/ZONE"))
        << zone;
  }
  EXPECT_THAT(problem_of({{"pause", "evictions zone " + std::string(64, 'a')}}),
              HasSubstr("not REGION/ZONE"));
  EXPECT_EQ(problem_of({{"pause", "evictions zone eu-1.x_Y/a"}}), "");
}

TEST(OperatorPolicy, NonePausesNothing) {
  EXPECT_THAT(read({{"pause", "none"}}).pauses, IsEmpty());
  EXPECT_THAT(read({{"pause", " \n"}}).pauses, IsEmpty());
}

TEST(OperatorPolicy, OneLineThatCannotBeReadSaysWhatWouldBeRight) {
  EXPECT_THAT(problem_of({{"pause", "evictons"}}),
              AllOf(HasSubstr("pause: \"evictons\""), HasSubstr("evictions, all or none")));
  EXPECT_THAT(problem_of({{"pause", "evictions\nall zone"}}), HasSubstr("zone REGION/ZONE"));
  EXPECT_THAT(problem_of({{"pause", "all node a"}}), HasSubstr("nodes SELECTOR"));
  EXPECT_THAT(problem_of({{"pause", "all nodes"}}), HasSubstr("nodes SELECTOR"));
  EXPECT_THAT(problem_of({{"pause", "all nodes a in b"}}), HasSubstr("\"a in b\""));
  EXPECT_THAT(problem_of({{"pause", "all zone a b"}}), HasSubstr("all zone a b"));
  for (const char* zone : {"/", "//", "eu/a/", "eu//a"}) {
    EXPECT_THAT(problem_of({{"pause", "all zone " + std::string(zone)}}),
                HasSubstr("not REGION/ZONE"));
  }
}

TEST(OperatorPolicy, KeyThatIsNotKnownIsNoSmallThing) {
  EXPECT_THAT(problem_of({{"pauze", "all"}}),
              AllOf(HasSubstr("\"pauze\""), HasSubstr("there are pause, pod-evictions")));
}

// --- pace ---------------------------------------------------------------------------------------

TEST(OperatorPolicy, PacesAreNumbersThatSomebodyLivesToSee) {
  const OperatorPolicy policy =
      read({{"pod-evictions-per-second", "0.5"}, {"pod-evictions-per-second-and-zone", " 10 "}});
  EXPECT_EQ(policy.pods_per_second, 0.5);
  EXPECT_EQ(policy.pods_per_second_and_zone, 10);
  EXPECT_EQ(read({{"pod-evictions-per-second", "0.001"}}).pods_per_second, 0.001);
  for (const char* wrong : {"0", "-1", "", "ten", "1/s", "inf", "nan", "5e-324", "0.0009"}) {
    EXPECT_THAT(problem_of({{"pod-evictions-per-second", wrong}}),
                HasSubstr("must be a number from 0.001 on"))
        << wrong;
  }
}

TEST(OperatorPolicy, HoldInDisruptionIsTrueOrFalse) {
  EXPECT_TRUE(read({{"hold-evictions-in-disruption", "true"}}).hold_in_disruption);
  EXPECT_FALSE(read({{"hold-evictions-in-disruption", "false"}}).hold_in_disruption);
  EXPECT_THAT(problem_of({{"hold-evictions-in-disruption", "yes"}}), HasSubstr("true or false"));
}

TEST(OperatorPolicy, KeyThatCannotBeReadSaysWhatItSaidBeforeAndTheOthersCount) {
  const OperatorPolicy before =
      read({{"pause", "evictions zone eu"}, {"pod-evictions-per-second", "5"}});
  const ReadPolicy pauses = read_operator_policy(
      {{"pause", "all"}, {"pod-evictions-per-second", "5/s"}, {"reason", "incident"}}, before);
  ASSERT_THAT(pauses.policy.pauses, SizeIs(1));
  EXPECT_EQ(pauses.policy.pauses[0].pause, Pause::All);
  EXPECT_EQ(pauses.policy.pods_per_second, 5);
  EXPECT_THAT(pauses.trouble, AllOf(HasSubstr("\"5/s\""), HasSubstr("\"reason\"")));
  const ReadPolicy paces =
      read_operator_policy({{"pause", "all zone"}, {"pod-evictions-per-second", "7"}}, before);
  ASSERT_THAT(paces.policy.pauses, SizeIs(1));
  EXPECT_EQ(paces.policy.pauses[0].text, "evictions zone eu");
  EXPECT_EQ(paces.policy.pods_per_second, 7);
  EXPECT_THAT(read_operator_policy({}, before).policy.pauses, IsEmpty()) << "it is taken away";
}

TEST(OperatorPolicy, KeyThatIsMissingBesideOneThatIsNotKnownSaysWhatItSaidBefore) {
  const OperatorPolicy before = read({{"pause", "evictions"}, {"pod-evictions-per-second", "5"}});
  const ReadPolicy mistyped =
      read_operator_policy({{"Pause", "none"}, {"pod-evictions-per-second", "7"}}, before);
  EXPECT_THAT(mistyped.policy.pauses, SizeIs(1));
  EXPECT_EQ(mistyped.policy.pods_per_second, 7);
}

TEST(OperatorPolicy, OfManyMistakesAFewAreNamedAndOfLongOnesTheBeginning) {
  api::Labels data;
  for (int key = 0; key < 1000; ++key) data.emplace_back("k" + std::to_string(key), "");
  EXPECT_THAT(problem_of(data), HasSubstr("; and 997 keys more"));
  EXPECT_LT(problem_of(data).size(), 1000U);
  EXPECT_LT(problem_of({{"pause", std::string(100000, 'x')}}).size(), 1000U);
}

}  // namespace
}  // namespace nlc::controller

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "controller/why/explain.h"
#include "controller/why/question.h"
#include "controller/why/render.h"
#include "tests/controller/objects.h"

/// Questions and how answers are written; what is answered: tests/scenarios/why.yaml.
namespace nlc::controller::why {
namespace {

using namespace controller::testing;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(WhyQuestion, IsReadFromItsPathAndWrittenBackAlike) {
  for (const char* path : {"/v1/why", "/v1/why/node/worker-3", "/v1/why/pod/shop/web-7d9c5b-abcde",
                           "/v1/why/zone/eu-west/a", "/v1/why/zone/-"}) {
    const Result<Question> question = question_of_path(path);
    ASSERT_TRUE(question) << path;
    EXPECT_EQ(path_of(*question), path);
  }
}

TEST(WhyQuestion, NamesAreDecoded) {
  const Result<Question> question = question_of_path("/v1/why/zone/my%20region%2Fa");
  ASSERT_TRUE(question);
  EXPECT_EQ(question->name, "my region/a");
  EXPECT_EQ(path_of(*question), "/v1/why/zone/my%20region/a");
}

TEST(WhyQuestion, PodWithoutANamespaceIsOfDefault) {
  EXPECT_EQ(question_of("pod", "app")->name, "default/app");
  EXPECT_EQ(question_of("pod", "shop/app")->name, "shop/app");
}

TEST(WhyQuestion, WhatCannotBeAskedSaysWhatCan) {
  const auto refusal = [](const char* path) { return question_of_path(path).error().path; };
  EXPECT_THAT(refusal("/metrics"), HasSubstr("/v1/why/node/NAME"));
  EXPECT_THAT(refusal("/v1/whynot"), HasSubstr("/v1/why/node/NAME"));
  EXPECT_THAT(refusal("/v1/why/job/a"), HasSubstr("there are node, pod and zone"));
  EXPECT_THAT(refusal("/v1/why/node/"), HasSubstr("node NAME"));
  EXPECT_THAT(refusal("/v1/why/node/%zz"), HasSubstr("encoded"));
  EXPECT_FALSE(question_of("node", std::string(100'000, 'x')));
}

/// As much as there can be of everything.
Answer crowded() {
  Answer answer{.about = {Question::Kind::Node, "node-1"}};
  answer.answerer = {.identity = "b", .leads = false, .leader = "a", .synced = true};
  answer.state = "queued";
  answer.is = "Ready is Unknown";
  answer.since = 72s;
  answer.heard = LastHeard{.by = LastHeard::By::Lease, .written = noon, .ago = 122s};
  answer.rule = "silent for longer than --node-monitor-grace-period";
  answer.settings = {{"node-monitor-grace-period", "50s"}};
  answer.zone = ZonePace{.name = "eu/a", .state = "Normal"};
  for (int i = 0; i < 20; ++i) {
    answer.held.push_back({.kind = "back_off", .what = "refused", .ends_in = 9s});
    answer.next.push_back({.what = "it is deleted", .in = 3s});
    answer.past.push_back({.ago = 5s, .action = Action::DeletePod, .outcome = Outcome::Taken});
    answer.near.push_back("node-" + std::to_string(i));
  }
  return answer;
}

TEST(WhyText, HasTwelveLinesAtMostHoweverMuchThereIsToSay) {
  const std::string text = text_of(crowded());
  EXPECT_EQ(std::ranges::count(text, '\n'), lines_max);
  EXPECT_THAT(text, HasSubstr("and 17 more"));
  EXPECT_THAT(text, HasSubstr("next"));
}

TEST(WhyText, NamesTheValueOfEachFlagWhereTheRuleNamesTheFlag) {
  EXPECT_THAT(text_of(crowded()), HasSubstr("longer than --node-monitor-grace-period=50s"));
}

TEST(WhyText, WhatOthersWroteBeginsNoLineOfItsOwn) {
  Answer answer{.about = {Question::Kind::Pod, "a/b"}};
  answer.answerer.leads = true;
  answer.state = "due";
  answer.is = "first\nsecond\r\x1b[31mthird" + std::string(10'000, 'x');
  const std::string text = text_of(answer);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_LT(text.size(), 600U);
}

TEST(WhyJson, CarriesTheSameFactsWithDurationsInSeconds) {
  const nlohmann::json json = nlohmann::json::parse(json_of(crowded()));
  EXPECT_EQ(json["about"]["kind"], "node");
  EXPECT_EQ(json["state"], "queued");
  EXPECT_EQ(json["forSeconds"], 72.0);
  EXPECT_EQ(json["heard"]["by"], "lease");
  EXPECT_EQ(json["heard"]["written"], "2026-01-02T12:00:00.000000Z");
  EXPECT_EQ(json["flags"]["node-monitor-grace-period"], "50s");
  EXPECT_EQ(json["held"].size(), 20U);
  EXPECT_EQ(json["held"][0]["endsInSeconds"], 9.0);
  EXPECT_EQ(json["last"][0]["outcome"], "taken");
  EXPECT_EQ(json["answeredBy"]["leader"], "a");
}

TEST(WhyJson, TakesBytesThatAreNoText) {
  Answer answer;
  answer.is = "\xff\xfe";
  EXPECT_TRUE(nlohmann::json::accept(json_of(answer)));
}

}  // namespace
}  // namespace nlc::controller::why

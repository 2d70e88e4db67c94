#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "controller/why/explain.h"
#include "controller/why/question.h"
#include "controller/why/render.h"
#include "controller/why/wording.h"
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

TEST(WhyQuestion, EveryDigitIsDecodedToTheEndOfThePath) {
  EXPECT_EQ(question_of_path("/v1/why/node/%09%90%aa%AF%fa%6F")->name, "\x09\x90\xaa\xaf\xfa\x6f");
  for (const char* path : {"/v1/why/node/a%", "/v1/why/node/a%2", "/v1/why/node/a%2g",
                           "/v1/why/node/a%g2", "/v1/why/node/a%/2", "/v1/why/node/a%:2"}) {
    EXPECT_THAT(question_of_path(path).error().path, HasSubstr("encoded")) << path;
  }
}

TEST(WhyQuestion, WithoutAKindItIsWhatComesNext) {
  for (const char* path : {"/v1/why", "/v1/why/"}) {
    const Result<Question> question = question_of_path(path);
    ASSERT_TRUE(question) << path;
    EXPECT_EQ(question->kind, Question::Kind::Next);
  }
}

TEST(WhyQuestion, NamesMayBeAsLongAsANamespaceAndAName) {
  EXPECT_TRUE(question_of("node", std::string(512, 'x')));
  EXPECT_EQ(question_of("node", std::string(513, 'x')).error().path,
            "the name behind \"node\" is too long: 513 bytes, 512 at most");
  EXPECT_THAT(question_of("node", "").error().path, HasSubstr("without the name of one"));
}

TEST(WhyQuestion, PodWithoutANamespaceIsOfDefault) {
  EXPECT_EQ(question_of("pod", "app")->name, "default/app");
  EXPECT_EQ(question_of("pod", "shop/app")->name, "shop/app");
}

TEST(WhyQuestion, IsUnderstoodAsKubectlTakesIt) {
  for (const auto& [kind, name] : {std::pair("nodes", "n"), {"node/n", ""}, {"nodes/n", ""}}) {
    const Result<Question> question = question_of(kind, name);
    ASSERT_TRUE(question) << kind;
    EXPECT_EQ(question->kind, Question::Kind::Node) << kind;
    EXPECT_EQ(question->name, "n") << kind;
  }
  EXPECT_EQ(question_of("pod/app", "")->name, "default/app");
  EXPECT_EQ(question_of("pods/shop/app", "")->name, "shop/app");
  EXPECT_EQ(question_of("zone/eu/a", "")->name, "eu/a");
  for (const char* kind : {"node/", "/n", "no", "no/n"})
    EXPECT_FALSE(question_of(kind, "")) << kind;
}

TEST(WhyQuestion, NameOfAPodHasANamespaceAndANameAndNoMore) {
  for (const char* name : {"a/b/c", "/x", "hollow/", "/", "//"}) {
    EXPECT_THAT(question_of("pod", name).error().path,
                HasSubstr("is no name of a pod; write pod NAMESPACE/NAME"))
        << name;
  }
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

std::vector<std::string> near(std::string_view name, const std::vector<std::string>& all) {
  return near_names(name, [&](const std::function<void(std::string_view)>& visit) {
    for (const std::string& one : all) visit(one);
  });
}

TEST(WhyNames, ThreeAtMostAreNearTheMostAlikeFirst) {
  using ::testing::ElementsAre;
  EXPECT_THAT(near("node-1", {"node-2", "node-3", "node-4", "node-5"}),
              ElementsAre("node-2", "node-3", "node-4"));
  EXPECT_THAT(near("worker-10", {"worker-2", "other", "worker-1", "worker-11"}),
              ElementsAre("worker-1", "worker-11", "worker-2"));
  EXPECT_THAT(near("worker-10", {"worker-2", "worker-3", "worker-4", "worker-1"}),
              ElementsAre("worker-1", "worker-2", "worker-3"));
}

TEST(WhyNames, AreNearWhereHalfOfTheLongerIsAlikeAtItsEnds) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  EXPECT_THAT(near("ab", {"ax"}), ElementsAre("ax"));
  EXPECT_THAT(near("ab", {"axx", "xxx"}), IsEmpty());
  EXPECT_THAT(near("a-node", {"b-node"}), ElementsAre("b-node"));
  EXPECT_THAT(near("aa", {"aaaa", "aaaaa"}), ElementsAre("aaaa"));
  EXPECT_THAT(near("", {"", "a"}), IsEmpty());
}

TEST(WhyWords, AreExactEnoughToBeRead) {
  EXPECT_EQ(in_words(9949ms), "9.9s");
  EXPECT_EQ(in_words(10s + 400ms), "10s");
  EXPECT_EQ(in_words(72s), "1m12s");
  EXPECT_EQ(in_words(87'600h - 1s), "87599h59m59s");
  EXPECT_EQ(in_words(87'600h), "ten years or more");
  EXPECT_EQ(counted(0, "pod"), "0 pods");
  EXPECT_EQ(counted(1, "pod"), "1 pod");
  EXPECT_EQ(counted(2, "pod"), "2 pods");
  EXPECT_EQ(rate_in_words(0.1), "0.1 nodes/s");
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

TEST(WhyText, SaysEachFactInALineOfItsOwn) {
  Answer answer = crowded();
  for (int i = 0; i < 19; ++i) {
    answer.held.pop_back();
    answer.next.pop_back();
    answer.past.pop_back();
  }
  answer.near = {"node-2", "node-3"};
  answer.zone->ready = 2;
  answer.zone->not_ready = 1;
  answer.zone->waiting = 3;
  answer.zone->nodes_per_second = 0.1;
  EXPECT_EQ(text_of(answer),
            "node node-1: queued\n"
            "  by     b stands by; the leader is a\n"
            "  is     Ready is Unknown\n"
            "  near   node-2, node-3\n"
            "  heard  2m2s ago, by its Lease of 2026-01-02T12:00:00.000000Z (the kubelet's clock)\n"
            "  rule   silent for longer than --node-monitor-grace-period=50s\n"
            "  zone   eu/a: Normal, 2 ready, 1 not, 3 wait, 0.1 nodes/s\n"
            "  held   refused; that ends in 9s\n"
            "  next   in 3s: it is deleted\n"
            "  last   5s ago: deletion: taken\n");
}

TEST(WhyText, SaysOnlyWhatIsKnown) {
  Answer answer{.about = {Question::Kind::Zone, "eu/a"}};
  answer.state = "normal";
  answer.is = "two are ready";
  answer.since = 3s;
  answer.zone = ZonePace{.name = "eu/a", .state = "Normal"};
  answer.heard = LastHeard{.by = LastHeard::By::Nothing, .written = {}, .ago = 7s};
  answer.rule = "no flag";
  answer.settings = {{"large-cluster-size-threshold", "50"}};
  answer.held = {{.kind = "k", .what = "the first", .ends_in = {}},
                 {.kind = "k", .what = "the second", .ends_in = {}},
                 {.kind = "k", .what = "the third", .ends_in = {}}};
  answer.next = {{.what = "soon"}, {.what = "it is due", .in = 0s}};
  answer.past = {{.ago = 1s,
                  .action = Action::ZoneChanged,
                  .outcome = Outcome::Happened,
                  .object = "zone/eu/a",
                  .detail = "Normal to FullDisruption",
                  .why = {}},
                 {.ago = 2s,
                  .action = Action::SetTaints,
                  .outcome = Outcome::Refused,
                  .object = {},
                  .detail = "+k:NoExecute",
                  .why = "no"}};
  EXPECT_EQ(text_of(answer),
            "zone eu/a: normal for 3s\n"
            "  by     this replica stands by\n"
            "  is     two are ready\n"
            "  heard  never; that counts for 7s\n"
            "  rule   no flag\n"
            "  held   the first\n"
            "         the second\n"
            "         the third\n"
            "  next   soon\n"
            "         now: it is due\n"
            "  last   1s ago: zone/eu/a, state from Normal to FullDisruption\n"
            "         2s ago: taints +k:NoExecute: refused: no\n");
}

TEST(WhyText, LeadersDoNotSayThatTheyStandBy) {
  Answer answer{.about = {Question::Kind::Next, ""}};
  answer.answerer.leads = true;
  answer.state = "at_work";
  answer.is = "nothing waits";
  EXPECT_EQ(text_of(answer), "what comes next: at_work\n  is     nothing waits\n");
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

TEST(WhyText, OfALongLineTheMiddleIsLeftOutForItEndsWithWhatCounts) {
  Answer answer{.about = {Question::Kind::Next, ""}};
  answer.answerer.leads = true;
  answer.state = "at_work";
  answer.is = "nothing waits";
  answer.rule = "the operator's ConfigMap: " + std::string(900, 'x') +
                "; what was last readable stays in force";
  const std::string text = text_of(answer);
  EXPECT_THAT(text, HasSubstr("  rule   the operator's ConfigMap: xxx"));
  EXPECT_THAT(text, HasSubstr("xxx… (974 bytes) …xxx"));
  EXPECT_THAT(text, HasSubstr("xxx; what was last readable stays in force\n"));
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

TEST(WhyJson, LeavesOutWhatIsNotKnown) {
  Answer answer{.about = {Question::Kind::Next, ""}};
  answer.past = {{.ago = 1s,
                  .action = Action::DeletePod,
                  .outcome = Outcome::Refused,
                  .object = {},
                  .detail = {},
                  .why = {}},
                 {.ago = 1s,
                  .action = Action::DeletePod,
                  .outcome = Outcome::Refused,
                  .object = "pod/a/b",
                  .detail = "d",
                  .why = "w"}};
  answer.next = {{.what = "soon"}};
  nlohmann::json json = nlohmann::json::parse(json_of(answer));
  EXPECT_EQ(json["about"]["kind"], "next");
  for (const char* key : {"heard", "zone", "near"}) EXPECT_FALSE(json.contains(key)) << key;
  EXPECT_TRUE(json["forSeconds"].is_null());
  EXPECT_TRUE(json["next"][0]["inSeconds"].is_null());
  for (const char* key : {"object", "detail", "why"}) {
    EXPECT_FALSE(json["last"][0].contains(key)) << key;
    EXPECT_TRUE(json["last"][1].contains(key)) << key;
  }
  answer.zone = ZonePace{.name = "eu/a", .state = "Normal"};
  answer.near = {"a"};
  answer.heard = LastHeard{.by = LastHeard::By::Status, .written = {}, .ago = 1s};
  json = nlohmann::json::parse(json_of(answer));
  EXPECT_FALSE(json["zone"].contains("place"));
  EXPECT_FALSE(json["heard"].contains("written"));
  EXPECT_EQ(json["near"].size(), 1U);
  answer.zone->place = 2;
  EXPECT_EQ(nlohmann::json::parse(json_of(answer))["zone"]["place"], 2);
}

TEST(WhyJson, TakesBytesThatAreNoText) {
  Answer answer;
  answer.is = "\xff\xfe";
  EXPECT_TRUE(nlohmann::json::accept(json_of(answer)));
}

}  // namespace
}  // namespace nlc::controller::why

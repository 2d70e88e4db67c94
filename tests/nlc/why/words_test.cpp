#include "nlc/why/words.h"

#include <gtest/gtest.h>

#include "controller/why/render.h"

namespace nlc::workbench {
namespace {

using controller::why::Question;
using Kind = Question::Kind;

bool is_text(const std::string& body, Kind kind, const std::string& name) {
  return is_answer(body, {.kind = kind, .name = name}, false);
}

bool is_json(const std::string& body, Kind kind, const std::string& name) {
  return is_answer(body, {.kind = kind, .name = name}, true);
}

TEST(WhyWords, AnAnswerIsAboutWhatWasAsked) {
  EXPECT_TRUE(is_text("node n: healthy\n  is     well\n", Kind::Node, "n"));
  EXPECT_FALSE(is_text("node x: healthy\n", Kind::Node, "n"));
  EXPECT_FALSE(is_text("pod n: healthy\n", Kind::Node, "n"));
  EXPECT_FALSE(is_text("node n\n", Kind::Node, "n"));
  EXPECT_TRUE(is_text("what comes next: at_work\n", Kind::Next, ""));
  EXPECT_FALSE(is_text("node n: healthy\n", Kind::Next, ""));
  EXPECT_TRUE(is_text("node " + std::string(395, 'n') + "\n", Kind::Node, std::string(500, 'n')));
}

TEST(WhyWords, WhatTheControllerWritesIsAnAnswer) {
  for (const Question& question :
       {Question{}, Question{Kind::Node, "n"}, Question{Kind::Node, std::string(500, 'n')},
        Question{Kind::Node, "a\nb\x1b"}, Question{Kind::Pod, "default/app"},
        Question{Kind::Zone, "eu/a"}, Question{Kind::Zone, "-"}}) {
    controller::why::Answer answer{.about = question};
    answer.state = "absent";
    answer.is = "there is no such thing";
    EXPECT_TRUE(is_answer(controller::why::text_of(answer), question, false)) << question.name;
    EXPECT_TRUE(is_answer(controller::why::json_of(answer), question, true)) << question.name;
  }
}

TEST(WhyWords, AZoneIsToldByItsWholeName) {
  for (const char* asked : {"eu/a", "eu", "a"}) {
    EXPECT_TRUE(is_text("zone eu/a: Normal for 2m0s\n", Kind::Zone, asked)) << asked;
  }
  EXPECT_FALSE(is_text("zone eu/a: Normal\n", Kind::Zone, "b"));
  EXPECT_FALSE(is_text("zone eu/a: Normal\n", Kind::Zone, "us/a"));
  EXPECT_TRUE(is_text("zone -/a: Normal\n", Kind::Zone, "/a"));
  EXPECT_TRUE(is_text("zone eu/-: Normal\n", Kind::Zone, "eu/"));
  EXPECT_TRUE(is_text("zone -: Normal\n", Kind::Zone, "-/-"));
}

TEST(WhyWords, JsonIsReadBeforeItIsShown) {
  const std::string good = R"({"about": {"kind": "node", "name": "n"}, "state": "healthy"})";
  EXPECT_TRUE(is_json(good, Kind::Node, "n"));
  EXPECT_FALSE(is_json(good, Kind::Node, "x"));
  EXPECT_FALSE(is_json(good, Kind::Pod, "n"));
  EXPECT_FALSE(is_json(good + "}", Kind::Node, "n"));
  EXPECT_FALSE(is_json("node n: healthy\n", Kind::Node, "n"));
  EXPECT_FALSE(is_json(R"({"about": 1, "state": "healthy"})", Kind::Node, "n"));
  EXPECT_TRUE(
      is_json(R"({"about": {"kind": "next", "name": ""}, "state": "held"})", Kind::Next, ""));
  EXPECT_FALSE(is_json(std::string(100'000, '['), Kind::Node, "n"));
}

TEST(WhyWords, WhatSteersATerminalIsNoAnswer) {
  EXPECT_FALSE(is_text("node n: healthy\x1b[2J\n", Kind::Node, "n"));
  EXPECT_FALSE(is_text(std::string("node n: healthy\n  is \0\n", 24), Kind::Node, "n"));
}

TEST(WhyWords, OfAProgramThatFailsTheLastLineIsToldAndOfACrashTheFirst) {
  EXPECT_EQ(last_words({"E0101 memcache.go", "error: refused"}), "error: refused");
  EXPECT_EQ(last_words({"runtime: out of memory", "fatal error: out of memory",
                        "goroutine 1:", "\t/usr/local/go/src/runtime/proc.go:283 +0x145"}),
            "runtime: out of memory");
  EXPECT_EQ(last_words({}), "it said nothing");
}

}  // namespace
}  // namespace nlc::workbench

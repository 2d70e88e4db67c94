#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/scenario/small_case.h"

namespace nlc::sim::scenario::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string refusal_of(std::string_view text) {
  const Result<ScenarioFile> file = read_scenario_text(text, "f.yaml");
  return file ? "" : file.error().path;
}

/// FILE:LINE and words of the only problem of the only case.
TEST(ScenarioReader, TextThatIsNoYamlIsRefusedWithItsLine) {
  EXPECT_THAT(refusal_of("cases:\n- {id: A\n- b\n"), HasSubstr("f.yaml:4: not valid YAML: "));
  EXPECT_EQ(refusal_of("cases:\n- {id: A\x01}\n"),
            "f.yaml:2: not valid YAML: control characters are not allowed");
}

TEST(ScenarioReader, AFileWithoutCasesIsRefused) {
  EXPECT_EQ(refusal_of("schema: x\n"), "f.yaml:1: no case found, cases expected");
  EXPECT_EQ(refusal_of("cases: []\n"), "f.yaml:1: no case found, cases expected");
  EXPECT_EQ(refusal_of("- a\n"), "f.yaml:1: [a] found, a map with cases expected");
  EXPECT_EQ(refusal_of(""), "f.yaml:1: null found, a map with cases expected");
  EXPECT_EQ(refusal_of("cases: []\n---\ncases: []\n"),
            "f.yaml:3: a second document found, one expected");
}

TEST(ScenarioReader, ACaseWithoutAnIdIsRefused) {
  EXPECT_EQ(refusal_of("cases:\n- {title: x}\n"),
            "f.yaml:2: a case without \"id\" found, id expected");
}

TEST(ScenarioReader, CasesThatAreNoListAreRefused) {
  EXPECT_EQ(refusal_of("cases:\n  a: 1\n"), "f.yaml:2: {a: 1} found, a list of cases expected");
}

TEST(ScenarioReader, AFileThatCannotBeOpenedIsNamed) {
  const Result<ScenarioFile> file = read_scenarios("nowhere/none.yaml");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().path, "nowhere/none.yaml: cannot be opened");
}

TEST(ScenarioReader, WhatIsNoFileOrHasNoEndIsRefusedInOneLine) {
  const Result<ScenarioFile> folder = read_scenarios("/");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().path, "/: is a folder, a file expected");
  const Result<ScenarioFile> endless = read_scenarios("/dev/zero");
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().path, "/dev/zero: more than 16 MiB found, a file of less expected");
}

TEST(ScenarioReader, RequestsOfAVerbOrAResourceThatIsNoneAreRefused) {
  const auto check = [](const std::string& requests) {
    return problem_of({.expect = {"{when: {at: 10s}, that: [{requests: " + requests + "}]}"}});
  };
  EXPECT_THAT(check("{verb: LSIT, resource: nodes, count: 0}"),
              HasSubstr("the verb LSIT found, GET, LIST, WATCH, PUT, PATCH, POST, DELETE or '*'"));
  EXPECT_THAT(check("{verb: LIST, resource: nodez, count: 0}"),
              HasSubstr("the resource nodez found, a plural such as nodes expected"));
  EXPECT_THAT(check("{verb: LIST, resource: [nodes, pod], count: 0}"),
              HasSubstr("the resource pod found"));
}

TEST(ScenarioReader, WhatIsGeneratedHasNamesThatDiffer) {
  EXPECT_THAT(problem_of({.given = "  - {generate: {nodes: 3, name: n}}\n"}),
              HasSubstr("the name n found, one that differs for each expected, by %d in it"));
  EXPECT_THAT(problem_of({.given = std::string(two_nodes) +
                                   "  - {generate: {pods_per_node: 1, name: p}}\n"}),
              HasSubstr("the name p found"));
}

TEST(ScenarioReader, AnUnknownKeyFailsItsCaseAndNotTheFile) {
  const std::string good = text_of({});
  std::string two = good;
  two += "- id: T-2\n  expect:\n  - {when: {at: 1s}, that: [{process: alive}]}\n  surprise: 1\n";
  const Result<ScenarioFile> file = read_scenario_text(two, "f.yaml");
  ASSERT_TRUE(file);
  ASSERT_EQ(file->cases.size(), 2U);
  EXPECT_THAT(file->cases[0].problems, IsEmpty());
  ASSERT_EQ(file->cases[1].problems.size(), 1U);
  EXPECT_EQ(run_scenario(file->cases[1], {}).verdict, Verdict::Failed);
}

/// What is wrong with a case of these lines, beside which there is another one.
std::string problem_in(const std::string& lines) {
  const Result<ScenarioFile> file = read_scenario_text(
      "cases:\n- {id: GOOD, expect: &one [{when: {at: 1s}, that: [{process: alive}]}]}\n- id: BAD\n"
      "  expect: *one\n" +
          lines,
      "f.yaml");
  if (!file || file->cases.size() != 2 || !file->cases[0].problems.empty()) return "no two cases";
  if (file->cases[1].problems.size() != 1) return "not one problem";
  const Failure& problem = file->cases[1].problems.front();
  return problem.expectation + " " + problem.seen;
}

TEST(ScenarioReader, WhatACaseIsCalledWronglyIsItsOwnProblem) {
  EXPECT_EQ(problem_in("  title: [a, b]\n"), "f.yaml:5 [a, b] found, a text for title expected");
  EXPECT_EQ(problem_in("  seed: many\n"), "f.yaml:5 many found, a whole number for seed expected");
  EXPECT_EQ(problem_in("  kind: {a: 1}\n"), "f.yaml:5 {a: 1} found, a text for kind expected");
  EXPECT_EQ(problem_in("  applies_to: null\n"),
            "f.yaml:5 null found, a text for applies_to expected");
  EXPECT_EQ(problem_in("  refs:\n  - a\n  - {b: c}\n"),
            "f.yaml:7 {b: c} found, a text or a list of texts for refs expected");
}

TEST(ScenarioReader, ASeedIsAnyWholeNumberOf64Bits) {
  const Result<ScenarioFile> file =
      read_scenario_text("cases:\n- {id: A, seed: 18446744073709551615, expect: []}\n", "f.yaml");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->cases[0].seed, 18446744073709551615U);
}

TEST(ScenarioReader, NoSeedAndNothingThatIsCountedIsBelowNothing) {
  EXPECT_EQ(problem_in("  seed: -1\n"), "f.yaml:5 -1 found, seed of 0 or more expected");
  for (const char* check :
       {"requests: {verb: GET, count: -1}", "requests: {verb: GET, count: {min: -1}}",
        "requests: {verb: GET, count: 1, per_pass: -1}",
        "requests: {verb: GET, per_second: {max: -1}}", "events: {count: {max: -1}}",
        "evictions: {zone: a, nodes: -1}", "pods_evicted: {count: -1}",
        "log: {message: m, count: -1}", "leaders: {count: -1}",
        "metric: {name: node_collector_zone_size, value: -1}"}) {
    EXPECT_THAT(problem_of({.expect = {"{when: {counted_in: [0s, 1s]}, that: [{" +
                                       std::string(check) + "}]}"}}),
                HasSubstr("-1 found, a number of 0 or more expected"))
        << check;
  }
}

TEST(ScenarioReader, NoLengthOfTimeThatIsAskedForIsBelowNothing) {
  const auto problem = [](const std::string& check) {
    return problem_of({.expect = {"{when: {at: 60s}, that: [{" + check + "}]}"}});
  };
  const std::string fell_silent = "delay: {from: node0 exists, to: node0 Ready is Unknown, max: ";
  EXPECT_EQ(problem("settled: -1s"), "small.yaml:14 -1s found, settled of 0s or more expected");
  EXPECT_EQ(problem(fell_silent + "-1s}"), "small.yaml:14 -1s found, max of 0s or more expected");
  EXPECT_EQ(problem("lease: {name: node1, renewed_within: -1s}"),
            "small.yaml:14 -1s found, renewed_within of 0s or more expected");
  EXPECT_EQ(problem("requests: {verb: GET, in_any: {span: -1s, max: 3}}"),
            "small.yaml:14 -1s found, span of 0s or more expected");
  EXPECT_EQ(problem("settled: 0s"), "0 problems");
  EXPECT_EQ(problem(fell_silent + "0s}"), "0 problems");
}

/// Nothing has happened then, and nobody would look.
TEST(ScenarioReader, NothingIsAskedOfAMomentBeforeTheCaseBegins) {
  for (const std::string span : {"[-2s, 5s]", "[-2s, -1s]"}) {
    for (const std::string when : {"holds", "becomes", "counted_in"}) {
      EXPECT_EQ(problem_of({.expect = {expecting(when + ": " + span, "{process: alive}")}}),
                "small.yaml:14 " + span + " found, no moment before 0s expected")
          << when;
    }
  }
  EXPECT_EQ(problem_of({.expect = {expecting("at: -1ms", "{process: alive}")}}),
            "small.yaml:14 -1ms found, no moment before 0s expected");
}

TEST(ScenarioReader, AShareIsANumber) {
  for (const std::string share : {"nan%", "-nan%", "inf%", "-inf%", "101%", "%"}) {
    EXPECT_EQ(
        problem_of({.timeline = {"{at: 1s, renew_lease: {node: node0, loss: '" + share + "'}}"}}),
        "small.yaml:13 '" + share + "' found, a share from 0% to 100%, such as 5%, expected");
  }
}

TEST(ScenarioReader, AWholeNumberThatDoesNotFitIsNone) {
  EXPECT_THAT(problem_of({.timeline = {"{at: 1s, delete: {kind: Pod, name: p, "
                                       "gracePeriodSeconds: 18446744073709551615}}"}}),
              HasSubstr("a whole number for gracePeriodSeconds expected"));
}

TEST(ScenarioReader, AnIdIsShortAndOfOneLine) {
  for (const std::string id : {"\"a\\nb\"", "\"\\e[31m\"", "''"}) {
    EXPECT_THAT(refusal_of("cases:\n- {id: " + id + "}\n"),
                HasSubstr("an id of one line and at most 100 bytes expected"));
  }
  EXPECT_THAT(refusal_of("cases:\n- {id: " + std::string(101, 'a') + "}\n"),
              HasSubstr("an id of one line and at most 100 bytes expected"));
}

TEST(ScenarioReader, WhateverAFileSaysItsErrorsAreLinesOfBoundedLength) {
  const std::string endless(1 << 20, 'x');
  for (const std::string& seed : {endless, "{a: [" + endless + "]}"}) {
    const std::string problem = problem_in("  seed: " + seed + "\n");
    EXPECT_LT(problem.size(), 1'200U);
    EXPECT_TRUE(problem.starts_with("f.yaml:5 ")) << problem;
    EXPECT_TRUE(problem.ends_with(" found, a whole number for seed expected")) << problem;
  }
  const std::string unknown = problem_in("  ? " + endless + "\n  : 1\n");
  EXPECT_TRUE(unknown.starts_with("f.yaml:5 the key \"xxx")) << unknown;
  EXPECT_TRUE(unknown.ends_with("xxx\" in a case found, which is not known")) << unknown;
  const std::string twice = refusal_of("? " + endless + "\n: 1\n? " + endless + "\n: 2\n");
  EXPECT_TRUE(twice.starts_with("f.yaml:3: the key \"xxx")) << twice;
  EXPECT_LT(twice.size(), 1'200U);
  EXPECT_LT(refusal_of("cases: " + endless).size(), 1'200U);
  EXPECT_LT(refusal_of("a: *" + endless).size(), 1'200U);
}

TEST(ScenarioReader, NoErrorSteersATerminal) {
  EXPECT_EQ(problem_in("  seed: \"\\e[31mred\\r\\n\\x7f\\u009b\"\n"),
            "f.yaml:5 ' [31mred    ' found, a whole number for seed expected");
  EXPECT_EQ(problem_in("  \"\\e[31m\": 1\n"),
            "f.yaml:5 the key \" [31m\" in a case found, which is not known");
  EXPECT_EQ(refusal_of("\"\\a\": 1\n\"\\a\": 2\n"),
            "f.yaml:2: the key \" \" found a second time, one expected (line 1 has it)");
}

TEST(ScenarioReader, ATitleIsALine) {
  const Result<ScenarioFile> file =
      read_scenario_text("cases:\n- {id: A, title: \"a\\n\\e[31mb\", expect: []}\n", "f.yaml");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->cases[0].title, "a  [31mb");
}

TEST(ScenarioReader, ProblemsTellFileLineAndWhatWasExpected) {
  EXPECT_EQ(problem_of({.timeline = {"{at: soon, start: controller}"}}),
            "small.yaml:13 soon found, a duration such as 40s, 1m30s or 500ms expected");
  EXPECT_EQ(problem_of({.timeline = {"{at: 1s, dance: node0}"}}),
            "small.yaml:13 the key \"dance\" in a step found, which is not known");
  EXPECT_EQ(problem_of({.timeline = {"{at: 1s, heartbeat: {node: node0, mood: good}}"}}),
            "small.yaml:13 the key \"mood\" in a heartbeat found, which is not known");
  EXPECT_EQ(problem_of({.expect = {"{when: {someday: 1s}, that: [{process: alive}]}"}}),
            "small.yaml:14 {someday: 1s} found, holds, becomes, at or counted_in expected");
  EXPECT_EQ(problem_of({.expect = {"{when: {at: 1s}, that: [{weather: fine}]}"}}), "2 problems");
}

TEST(ScenarioReader, AStepThatCannotBeMeantIsAProblem) {
  const auto problem = [](const std::string& step) { return problem_of({.timeline = {step}}); };
  EXPECT_THAT(problem("{at: 5s}"), HasSubstr("a step without an action"));
  EXPECT_THAT(problem("{from: 5s, until: 2s, read_only: {}}"), HasSubstr("until 2s"));
  EXPECT_THAT(problem("{from: 5s, until: 5s, pause_api: {}}"),
              HasSubstr("later than the step's beginning"));
  EXPECT_EQ(problem("{from: 5s, until: 5s, every: 1s, renew_lease: {node: node0}}"), "0 problems");
  EXPECT_THAT(problem("{at: -5s, start: controller}"), HasSubstr("none before 0s"));
  EXPECT_THAT(problem("{at: 5s, restart: controller, down: -1s}"), HasSubstr("down of 0s or more"));
  EXPECT_THAT(problem("{at: 5s, fail_api: {respond: drop, times: 0}}"),
              HasSubstr("times of 1 or more"));
  EXPECT_THAT(problem("{at: 5s, fail_api: {respond: {code: 99}}}"), HasSubstr("from 100 to 599"));
  EXPECT_THAT(problem("{at: 5s, heartbeat: {node: node0, ready: maybe}}"),
              HasSubstr("ready maybe"));
}

TEST(ScenarioReader, AMergeChangesFieldsAndNotWhoseTheyAre) {
  for (const char* merge : {"5", "[1]", "null", "{metadata: 5}", "{metadata: null}", "{kind: Pod}",
                            "{metadata: {name: node1}}"}) {
    const std::string step =
        "{at: 5s, patch: {kind: Node, name: node0, merge: " + std::string(merge) + "}}";
    EXPECT_THAT(problem_of({.timeline = {step}}), HasSubstr("a merge ")) << merge;
  }
}

TEST(ScenarioReader, AnAliasIsTakenForWhatItStandsFor) {
  const Scenario scenario = case_of({.flags = {"a: &rate '1'", "b: *rate"}});
  EXPECT_THAT(scenario.problems, IsEmpty());
  EXPECT_THAT(scenario.flags, ::testing::Contains(::testing::Pair("b", "1")));
}

TEST(ScenarioReader, WhatIsNoListOfObjectsOrTaintsIsAProblem) {
  EXPECT_THAT(problem_of({.given = "    {generate: {nodes: 1, name: n}}\n"}),
              HasSubstr("a list of objects expected"));
  EXPECT_THAT(
      problem_of(
          {.expect = {"{when: {at: 1s}, that: [{node: {name: node0, taints: a:NoExecute}}]}"}}),
      HasSubstr("a:NoExecute found, a list of taints expected"));
}

TEST(ScenarioReader, AKeyGivenTwiceIsRefusedWithTheLineOfTheSecond) {
  EXPECT_EQ(refusal_of("cases:\n- id: A\n  expect: []\n  expect: []\n"),
            "f.yaml:4: the key \"expect\" found a second time, one expected (line 3 has it)");
}

TEST(ScenarioReader, AnIdGivenTwiceIsRefusedWithTheLineOfTheSecond) {
  EXPECT_EQ(refusal_of("cases:\n- {id: A, expect: []}\n- {id: A, expect: []}\n"),
            "f.yaml:3: the id A found a second time, an id of its own expected (line 2 has it)");
}

TEST(ScenarioReader, ANodeThatIsNowhereMadeIsAProblem) {
  const std::string none = "the node nod0 found, one that is given or applied expected";
  EXPECT_THAT(problem_of({.timeline = {"{at: 1s, heartbeat: {node: nod0, ready: 'True'}}"}}),
              HasSubstr("small.yaml:13 " + none));
  EXPECT_THAT(problem_of({.timeline = {"{at: 1s, delete: {kind: Node, name: nod0}}"}}),
              HasSubstr(none));
  EXPECT_THAT(
      problem_of({.expect = {"{when: {at: 1s}, that: [{node: {name: nod0, labels: {a: b}}}]}"}}),
      HasSubstr(none));
  EXPECT_THAT(case_of({.expect = {"{when: {at: 1s}, that: [{node: {name: nod0, exists: false}}]}"}})
                  .problems,
              IsEmpty());
}

TEST(ScenarioReader, AliasesThatHaveNoEndOrTooManyValuesAreRefused) {
  EXPECT_EQ(refusal_of("cases:\n- id: A\n  given: &all\n  - {a: *all}\n  expect: []\n"),
            "f.yaml:4: the alias *all found, one of a value that ends before it expected");
  EXPECT_EQ(refusal_of("cases: " + std::string(70, '[')),
            "f.yaml:1: nesting deeper than 64 levels found, fewer expected");
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    std::string list = alias;
    for (int j = 1; j < 10; ++j) list += ", " + alias;
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + list + "]\n";
  }
  EXPECT_THAT(refusal_of(laughs + "cases: []\n"), HasSubstr("more than 1000000 values found"));
}

TEST(ScenarioReader, WhatWouldNotEndIsAProblemWithItsLine) {
  EXPECT_THAT(problem_of({.given = "  - {generate: {nodes: 1000000000, name: n-%d}}\n"}),
              HasSubstr("small.yaml:7 1000000000 nodes found, 0 to 50000 expected"));
  EXPECT_THAT(problem_of({.given = std::string(two_nodes) +
                                   "  - {generate: {pods_per_node: 30000, name: n-%d}}\n"}),
              HasSubstr("60000 pods found, 0 to 49998 expected"));
  EXPECT_THAT(problem_of({.expect = {expecting("at: 87600h", "{process: alive}")}}),
              HasSubstr("87600h0m0s found, at most 168h0m0s (seven days) expected"));
  EXPECT_THAT(problem_of({.timeline = {"{from: 0s, until: 87600h, every: 10s, pause_api: {}}"}}),
              HasSubstr("small.yaml:13 87600h0m0s found"));
  EXPECT_THAT(problem_of({.timeline = {"{from: 0s, until: 1h, every: 1ns, renew_lease: {node: "
                                       "node0}}"}}),
              HasSubstr("small.yaml:13 more than 5000000 happenings found"));
}

/// Beside others it would go beyond what the clock can say.
TEST(ScenarioReader, NoTimeIsLongerThanTenYears) {
  const auto problem = [](const std::string& offset) {
    return problem_of({.timeline = {"{at: 1s, server_clock: {offset: " + offset + "}}"}});
  };
  const std::string why = " found, a duration of at most 87600h (ten years) expected";
  EXPECT_EQ(problem("87600h1ns"), "small.yaml:13 87600h1ns" + why);
  EXPECT_EQ(problem("-2562047h"), "small.yaml:13 -2562047h" + why);
  EXPECT_EQ(problem("87600h"), "0 problems");
  EXPECT_EQ(problem("-87600h"), "0 problems");
  EXPECT_THAT(problem_of({.expect = {expecting("at: 2562047h", "{process: alive}")}}),
              HasSubstr(why));
}

TEST(ScenarioReader, AMapThatNamesTwoKindsIsTwoChecks) {
  const Scenario scenario =
      case_of({.expect = {"{when: {at: 1s}, that: [{process: alive, controllers: {running: "
                          "[taint-eviction-controller]}}]}"}});
  EXPECT_THAT(scenario.problems, IsEmpty());
  ASSERT_EQ(scenario.expect.size(), 1U);
  EXPECT_EQ(scenario.expect[0].that.size(), 2U);
}

TEST(ScenarioReader, AnIntervalEndsAfterItBegins) {
  EXPECT_THAT(problem_of({.expect = {"{when: {holds: [2s, 1s]}, that: [{process: alive}]}"}}),
              HasSubstr("from before until expected"));
}

TEST(ScenarioReader, NotesAreAllowedEverywhere) {
  EXPECT_THAT(case_of({.flags = {"note: x"},
                       .timeline = {"{at: 1s, note: nothing happens}",
                                    "{at: 1s, delete: {kind: Node, name: node0, note: gone}}"},
                       .expect = {"{when: {at: 1s, note: y}, that: [{process: alive, note: z}], "
                                  "note: w}"}})
                  .problems,
              IsEmpty());
}

TEST(ScenarioReader, ARemarkInParenthesesBehindAValueIsNotPartOfIt) {
  const Scenario scenario = case_of({.flags = {"node-eviction-rate: '2 (newer tree: 1)'"},
                                     .timeline = {"{at: '5s (or so)', restart: controller}"}});
  EXPECT_EQ(scenario.flags.back().second, "2");
  EXPECT_EQ(scenario.timeline.back().from, std::chrono::seconds(5));
}

TEST(ScenarioReader, PlainWordsAreReadByTheCoreRulesAndQuotedOnesStayText) {
  const Scenario scenario = case_of(
      {.given = "  - {apiVersion: v1, kind: Node, metadata: {name: n, creationTimestamp: "
                "2012-01-01T00:00:00Z, labels: {a: 'true', b: '1'}}, spec: {unschedulable: true}, "
                "status: {capacity: {cpu: 8, memory: 10G}}}\n"});
  const nlohmann::json& node = scenario.given.at(0);
  EXPECT_EQ(node["metadata"]["creationTimestamp"], "2012-01-01T00:00:00Z");
  EXPECT_EQ(node["metadata"]["labels"]["a"], "true");
  EXPECT_EQ(node["metadata"]["labels"]["b"], "1");
  EXPECT_EQ(node["spec"]["unschedulable"], true);
  EXPECT_EQ(node["status"]["capacity"]["cpu"], 8);
  EXPECT_EQ(node["status"]["capacity"]["memory"], "10G");
}

TEST(ScenarioReader, GivenObjectsGetWhatARealOneHasButNoTolerations) {
  const Scenario scenario = case_of(
      {.given = "  - {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: n}}\n"});
  const nlohmann::json& pod = scenario.given.at(0);
  EXPECT_EQ(pod["metadata"]["namespace"], "default");
  EXPECT_EQ(pod["spec"]["terminationGracePeriodSeconds"], 30);
  EXPECT_EQ(pod["status"]["phase"], "Running");
  EXPECT_FALSE(pod["spec"].contains("tolerations"));
}

TEST(ScenarioReader, AnObjectOfAKindThatNobodyServesIsAProblem) {
  EXPECT_THAT(problem_of({.given = "  - {apiVersion: v1, kind: Poem, metadata: {name: p}}\n"}),
              HasSubstr("kind \"Poem\" found"));
}

TEST(ScenarioReader, AnObjectWithAFieldOfAnotherTypeIsAProblemOfItsCase) {
  const auto problem = [](const std::string& object) {
    return problem_of({.given = "  - " + object + "\n"});
  };
  EXPECT_THAT(problem("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: 5}}"),
              HasSubstr("small.yaml:7 json: cannot unmarshal number into Go struct field "));
  EXPECT_THAT(problem("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: 5}"),
              HasSubstr("an object as an API server reads it expected"));
  EXPECT_THAT(problem("{apiVersion: v1, kind: Node, metadata: {name: n}, status: [a]}"),
              HasSubstr("an object as an API server reads it expected"));
  EXPECT_THAT(problem("{generate: {nodes: 2, name: n-%d, labels: {a: 5}}}"),
              HasSubstr("an object as an API server reads it expected"));
  EXPECT_THAT(problem("{generate: {nodes: 2, name: n-%d, labels: 5}}"),
              HasSubstr("5 found, a map of labels expected"));
  EXPECT_THAT(problem("{generate: {nodes: 2, name: n-%d, spec: [a]}}"),
              HasSubstr("[a] found, a map of spec expected"));
  EXPECT_THAT(problem_of({.timeline = {"{at: 1s, apply: {apiVersion: v1, kind: Pod, metadata: "
                                       "{name: p}, spec: {nodeName: 5}}}"}}),
              HasSubstr("an object as an API server reads it expected"));
}

TEST(ScenarioReader, AFieldThatIsNullIsNotThere) {
  const Scenario scenario = case_of(
      {.given = "  - {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: }}\n"});
  EXPECT_FALSE(scenario.given.at(0)["spec"].contains("nodeName"));
}

TEST(ScenarioReader, AStepAboutAKindOrANameThatIsNoneIsAProblem) {
  const auto problem = [](const std::string& step) { return problem_of({.timeline = {step}}); };
  for (const char* step : {"{at: 20s, replay: {kind: Foo, name: node0, as_of: 10s}}",
                           "{at: 20s, patch: {kind: Foo, name: node0, merge: {a: b}}}",
                           "{at: 20s, delete: {kind: Foo, name: node0}}"}) {
    EXPECT_THAT(problem(step), HasSubstr("kind Foo found, a kind that this server has expected"))
        << step;
  }
  for (const char* step :
       {"{at: 20s, renew_lease: {node: ''}}", "{at: 20s, renew_lease: {node: [node0, '']}}",
        "{at: 20s, heartbeat: {node: '', ready: 'True'}}",
        "{at: 20s, delete: {kind: Pod, name: ''}}"}) {
    EXPECT_THAT(problem(step), HasSubstr("'' found, a name expected")) << step;
  }
  EXPECT_THAT(problem("{at: 20s, renew_lease: {node: []}}"),
              HasSubstr("[] found, the name of a node expected"));
  EXPECT_THAT(problem("{at: 20s, start: controller, replica: \"a\\0\"}"),
              HasSubstr("not printable ASCII"));
}

TEST(ScenarioReader, AStepThatAppliesNothingAndAnExpectationOfNothingAreProblems) {
  EXPECT_THAT(problem_of({.timeline = {"{at: 1s, apply: []}"}}),
              HasSubstr("[] found, an object expected"));
  EXPECT_THAT(problem_of({.expect = {"{when: {at: 1s}, that: []}"}}),
              HasSubstr("[] found, a check expected"));
  const Result<ScenarioFile> file = read_scenario_text("cases:\n- {id: A, expect: []}\n", "f.yaml");
  ASSERT_TRUE(file && file->cases.at(0).problems.size() == 1);
  EXPECT_EQ(file->cases[0].problems[0].expectation, "f.yaml:2");
  EXPECT_EQ(file->cases[0].problems[0].seen, "[] found, an expectation expected");
}

TEST(ScenarioReader, GenerateStandsForManyObjects) {
  const Scenario scenario =
      case_of({.given = "  - {generate: {nodes: 3, name: node%d, ready: 'True'}}\n"
                        "  - {generate: {pods_per_node: 2, name: '%d-%d', ready: 'True'}}\n"});
  ASSERT_EQ(scenario.given.size(), 9U);
  EXPECT_EQ(scenario.given[2]["metadata"]["name"], "node2");
  EXPECT_EQ(scenario.given[8]["metadata"]["name"], "2-1");
  EXPECT_EQ(scenario.given[8]["spec"]["nodeName"], "node2");
  EXPECT_EQ(scenario.given[8]["spec"]["tolerations"][0]["operator"], "Exists");
}

TEST(ScenarioReader, AnOwnerHasTheUidByWhichItIsNamed) {
  const Scenario scenario =
      case_of({.given = "  - {apiVersion: v1, kind: Node, metadata: {name: n}}\n"
                        "  - {apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: n, "
                        "ownerReferences: [{apiVersion: v1, kind: Node, name: n, uid: u}]}}\n"});
  EXPECT_EQ(scenario.given[0]["metadata"]["uid"], "u");
  EXPECT_EQ(scenario.given[1]["metadata"]["namespace"], "kube-node-lease");
}

TEST(ScenarioReader, UnitCasesAreCountedAndLeftUnread) {
  const Result<ScenarioFile> file = read_scenario_text(
      "unit:\n- {id: Q-1, area: QU, component: queue, title: t, input: {a: [1]}, output: x}\n",
      "f.yaml");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->units, 1U);
}

}  // namespace
}  // namespace nlc::sim::scenario::testing

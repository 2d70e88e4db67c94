#include "rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

/// That the rules can fail: each is shown a small tree that breaks it.
namespace nlc::architecture {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

/// The sources have line 1 `#pragma once`, line 2 the given text.
Source with(const std::string& path, const std::string& text) {
  return read_source(path, "#pragma once\n" + text + "\n");
}

Source including(const std::string& path, const std::string& name) {
  return with(path, "#include \"" + name + "\"");
}

TEST(ArrowRule, NamesFileLineAndRule) {
  EXPECT_THAT(
      broken_arrows({including("api/objects.h", "client/transport.h")}),
      ElementsAre("api/objects.h:2: includes \"client/transport.h\"; api may not know client "
                  "(mains may know more)"));
}

TEST(ArrowRule, HoldsTheCutOfTheDesign) {
  for (const auto& [file, include] : std::vector<std::pair<std::string, std::string>>{
           {"runtime/time.h", "api/objects.h"},
           {"metrics/metrics.h", "runtime/time.h"},
           {"client/verbs.h", "informer/store.h"},
           {"informer/store.h", "election/elector.h"},
           {"informer/store.h", "controller/loop/loop.h"},
           {"election/elector.h", "informer/store.h"},
           {"election/elector.cpp", "net/loop/asio_loop.h"},
           {"controller/loop/loop.cpp", "election/elector.h"},
           {"controller/loop/loop.cpp", "net/loop/asio_loop.h"},
           {"controller/loop/loop.cpp", "sim/virtual_time.h"},
           {"program/main.cpp", "sim/virtual_time.h"},
           {"program/replica.h", "net/loop/asio_loop.h"},
           {"election/sidecar/main.cpp", "controller/loop/loop.h"},
           {"net/loop/asio_loop.cpp", "sim/virtual_time.h"},
           {"net/config/kubeconfig.cpp", "net/http_client/connection.h"},
           {"net/http_server/http_server.cpp", "net/http_client/connection.h"},
           {"net/http_client/connection.cpp", "net/rest/rest_client.h"},
           {"net/http_client/connection.cpp", "election/asio/asio_election.h"},
           {"program/replica.cpp", "election/asio/asio_election.h"},
           {"sim/kubelet/hollow_node.h", "sim/apiserver/api_server.h"},
           {"sim/apiserver/api_server.cpp", "sim/scenario/stage/stage.h"},
           {"sim/rules/rules.cpp", "controller/rules/tolerations.h"},
           {"sim/rules/reference_model.cpp", "sim/scenario/stage/stage.h"},
           {"sim/virtual_time.cpp", "sim/kubelet/hollow_node.h"},
           {"net/loop/asio_loop.cpp", "controller/loop/loop.h"},
           {"sim/scenario.cpp", "controller/loop/loop.h"},
           {"tests/controller/whole_path.h", "controller/loop/loop.h"},
           {"sim/apiserver/api_server.cpp", "net/http_server/http_server.h"},
           {"sim/apiserver/api_server.cpp", "nlc/cluster/embedded.h"},
           {"client/verbs.cpp", "tests/client/held_transport.h"}}) {
    EXPECT_THAT(broken_arrows({including(file, include)}), ElementsAre(StartsWith(file + ":2: ")))
        << include;
  }
}

TEST(ArrowRule, LetsMainsTestsAndTheArrowsThemselvesPass) {
  for (const auto& [file, include] : std::vector<std::pair<std::string, std::string>>{
           {"api/objects.h", "runtime/time.h"},
           {"client/verbs.h", "api/objects.h"},
           {"controller/loop/loop.h", "informer/store.h"},
           {"program/main.cpp", "net/loop/asio_loop.h"},
           {"program/replica.h", "election/elector.h"},
           {"election/sidecar/main.cpp", "net/loop/asio_loop.h"},
           {"sim/scenario/stage/stage.h", "sim/apiserver/api_server.h"},
           {"net/http_client/connection.cpp", "net/credentials/tls_context.h"},
           {"election/asio/asio_election.cpp", "net/http_client/socket_transport.h"},
           {"nlc/cluster/cluster.cpp", "net/http_server/http_server.h"},
           {"nlc/cluster/embedded.h", "net/http_server/http_server.h"},
           {"nlc/cluster/cluster.cpp", "nlc/cluster/embedded.h"},
           {"program/replica.h", "controller/loop/loop.h"},
           {"sim/scenario.cpp", "program/replica.h"},
           {"tests/client/limits/limited_transport_test.cpp", "sim/virtual_time.h"},
           {"bench/passes.cpp", "net/loop/asio_loop.h"}}) {
    EXPECT_THAT(broken_arrows({including(file, include)}), IsEmpty()) << file << " " << include;
  }
}

TEST(EffectRule, NamesWhatTheLineDoes) {
  EXPECT_THAT(
      misplaced_effects({with("controller/loop/loop.cpp", "std::mutex lock;")}),
      ElementsAre("controller/loop/loop.cpp:2: std::mutex locks; only net, bench and mains do"));
}

TEST(EffectRule, FindsEachKindOfEffect) {
  for (const char* code :
       {"std::this_thread::sleep_for(1s);", "auto t = std::chrono::steady_clock::now();",
        "using Stopwatch = std::chrono::steady_clock;", "system_clock::now();",
        "clock_gettime(CLOCK_BOOTTIME, &t);", "std::random_device dice;", "std::thread worker;",
        "std::mutex m;", "std::lock_guard guard(m);", "std::condition_variable bell;"}) {
    EXPECT_THAT(misplaced_effects({with("informer/store.cpp", code)}), testing::Not(IsEmpty()))
        << code;
    EXPECT_THAT(misplaced_effects({with("net/loop/asio_loop.cpp", code)}), IsEmpty()) << code;
  }
}

TEST(EffectRule, WordsInCommentsAndLiteralsDoNothing) {
  for (const char* text :
       {"// std::mutex is not for us", "/* std::thread\n std::mutex */", "auto s = \"std::mutex\";",
        "auto s = \"\\\"std::mutex\";", "auto s = R\"(std::thread \" std::mutex)\";"}) {
    EXPECT_THAT(misplaced_effects({with("api/objects.h", text)}), IsEmpty()) << text;
  }
}

TEST(EffectRule, CodeBehindALiteralIsSeen) {
  for (const char* text : {"f(\"x\"); std::mutex m;", "f('\"'); std::mutex m;",
                           "f(1'000'000); std::mutex m;", "/* a */ std::mutex m;"}) {
    EXPECT_THAT(misplaced_effects({with("api/objects.h", text)}),
                ElementsAre(StartsWith("api/objects.h:2: std::mutex")))
        << text;
  }
}

TEST(HeavyRule, HeavyHeaderMayNotStandInALibrary) {
  EXPECT_THAT(misplaced_heavy_headers({with("client/verbs.cpp", "#include <boost/asio.hpp>")}),
              ElementsAre(HasSubstr("client/verbs.cpp:2: includes boost/asio.hpp")));
  for (const char* file :
       {"net/credentials/tls.cpp", "net/credentials/tls.h", "program/main.cpp",
        "controller/flags.cpp", "nlc/demo/demo.cpp", "tests/net/credentials/tls_test.cpp"}) {
    EXPECT_THAT(misplaced_heavy_headers({with(file, "#include <boost/asio.hpp>")}), IsEmpty())
        << file;
  }
}

TEST(HeavyRule, HeavyHeaderMayNotComeInThroughAHeader) {
  const Sources sources{with("net/outside.h", "#include \"net/inside.h\""),
                        with("net/inside.h", "#include <boost/asio.hpp>"),
                        including("tests/sim/world_test.cpp", "net/outside.h")};
  EXPECT_THAT(misplaced_heavy_headers(sources),
              ElementsAre("tests/sim/world_test.cpp:2: includes net/outside.h (net/inside.h -> "
                          "<boost/asio.hpp>); heavy headers stay inside net and mains"));
}

TEST(SimdjsonRule, ItIsIncludedInOnePlace) {
  EXPECT_THAT(misplaced_simdjson({with("api/simdjson.h", "#include <simdjson.h>"),
                                  with("api/decode.cpp", "#include \"api/simdjson.h\""),
                                  with("client/refusal.cpp", "#include <simdjson.h>")}),
              ElementsAre("client/refusal.cpp:2: includes <simdjson.h>; api/simdjson.h does"));
}

TEST(GuardRule, HeaderBeginsWithPragmaOnce) {
  EXPECT_THAT(unguarded_headers({read_source("api/a.h", "#include <string>\n#pragma once\n"),
                                 read_source("api/b.h", ""),
                                 read_source("api/c.h", "// Why.\n\n#pragma once\n"),
                                 read_source("api/d.cpp", "#include <string>\n")}),
              ElementsAre(StartsWith("api/a.h:1: "), StartsWith("api/b.h:1: ")));
}

TEST(CycleRule, HeaderAndItsSourceAreOneUnit) {
  EXPECT_THAT(unit_cycles({with("api/a.h", ""), including("api/a.cpp", "api/a.h"),
                           including("api/b.h", "api/a.h"), including("api/b.cpp", "api/b.h")}),
              IsEmpty());
}

TEST(CycleRule, NamesTheUnitsOfACircle) {
  const Sources sources{with("api/a.h", ""), including("api/a.cpp", "api/c.h"),
                        including("api/b.h", "api/a.h"), including("api/c.cpp", "api/b.h"),
                        with("api/c.h", "")};
  EXPECT_THAT(unit_cycles(sources), ElementsAre("api/a -> api/c -> api/b -> api/a; no units need "
                                                "each other in a circle"));
}

TEST(IncludeRule, QuotedFileExists) {
  const Source held = with("tests/client/held.h", "");
  EXPECT_THAT(unknown_includes({held, including("tests/client/verbs_test.cpp", "held.h"),
                                with("api/objects.h", "#include <string>")}),
              IsEmpty());
  EXPECT_THAT(unknown_includes({held, including("tests/sim/a_test.cpp", "held.h")}),
              ElementsAre(StartsWith("tests/sim/a_test.cpp:2: ")));
  EXPECT_THAT(unknown_includes({with("api/objects.h", ""), including("api/decode.h", "objects.h")}),
              ElementsAre(StartsWith("api/decode.h:2: ")));
}

/// A page with two headings, and a source that cites; put together here, for this file is read too.
Texts citing(const std::string& comment) {
  return {read_text("controller/zones/zone.h", "#pragma once\n" + comment + "\nint zone;\n"),
          read_text("docs/spec/zones.md", "# Zones\n\nText.\n\n## Zone key\n\nText.\n")};
}

std::string cite(const std::string& page, const std::string& heading) {
  return "spec/" + page + " \"" + heading + "\"";
}

TEST(CitationRule, PageAndHeadingThatExistPass) {
  for (const std::string& comment :
       {"/// Key (" + cite("zones.md", "Zone key") + ").", "// docs/" + cite("zones.md", "Zones"),
        "int key;  ///< " + cite("zones.md", "Zone key"),
        std::string("/// See spec/") + "zones.md.",
        std::string("// PATCH /spec/taints of a node")}) {
    EXPECT_THAT(dead_citations(citing(comment)), IsEmpty()) << comment;
  }
}

TEST(CitationRule, NamesFileLineAndThePageThatIsNotThere) {
  EXPECT_THAT(dead_citations(citing("/// " + cite("regions.md", "Zone key"))),
              ElementsAre("controller/zones/zone.h:2: cites spec/" + std::string("regions.md") +
                          "; there is no such page in docs"));
}

TEST(CitationRule, NamesTheHeadingThatIsNotThere) {
  for (const char* heading : {"Zone", "Zone keys", "zone key", "Text."}) {
    EXPECT_THAT(dead_citations(citing("/// " + cite("zones.md", heading))),
                ElementsAre("controller/zones/zone.h:2: cites " + cite("zones.md", heading) +
                            "; the page has no such heading"));
  }
}

TEST(CitationRule, CitationMayGoOnInTheNextLineOfItsComment) {
  const std::string page = std::string("/// Key (spec/") + "zones.md";
  EXPECT_THAT(dead_citations(citing(page + "\n/// \"Zone key\").")), IsEmpty());
  EXPECT_THAT(dead_citations(citing(page + " \"Zone\n/// key\").")), IsEmpty());
  EXPECT_THAT(dead_citations(citing(page + " \"Zone\n/// lock\").")),
              ElementsAre(HasSubstr(cite("zones.md", "Zone lock"))));
}

TEST(CitationRule, EachOfSeveralCitationsInALineIsLookedUp) {
  EXPECT_THAT(dead_citations(citing("/// " + cite("zones.md", "Zone key") + ", " +
                                    cite("zones.md", "Rate") + ", " + cite("gone.md", "Zones"))),
              ElementsAre(HasSubstr("\"Rate\""), HasSubstr("gone.md")));
}

TEST(CitationRule, NobodyCitesByNumber) {
  EXPECT_THAT(dead_citations(citing("/// Key (\xc2\xa7 6.1).")),
              ElementsAre(StartsWith("controller/zones/zone.h:2: cites by number")));
}

/// What is wrong with a page, beside a small tree that knows zones::Zone, its rate and a library.
Violations names_in(const std::string& page, const std::string& line) {
  return unknown_names({read_text("CMakeLists.txt", "nlc_module(small_zones SOURCES zone.cpp)\n"),
                        read_text(page, "# Zones\n" + line + "\n")},
                       {with("controller/zones/names.h", "namespace zones {"),
                        with("controller/zones/zone.h", "struct Zone { double rate; };  // lost")});
}

TEST(NameRule, QualifiedNamesWhosePartsAreWordsOfTheCodePass) {
  for (const char* line : {"`Zone::rate`", "`zones::Zone::rate` and `Zone::rate`",
                           "a list, `List<zones::Zone>`", "`zones::small_zones`"}) {
    EXPECT_THAT(names_in("docs/zones.md", line), IsEmpty()) << line;
  }
}

TEST(NameRule, NamesFileLineNameAndThePartThatNoCodeKnows) {
  EXPECT_THAT(names_in("docs/spec/zones.md", "`Zone::rate`, `zones::Zone::speed`"),
              ElementsAre("docs/spec/zones.md:2: names zones::Zone::speed; no code knows speed"));
}

TEST(NameRule, PartOfAWordOrAWordInACommentIsNoWordOfTheCode) {
  for (const char* line : {"`Zone::rat`", "`Zone::rates`", "`Zone::lost`", "`ZONE::rate`"}) {
    EXPECT_THAT(names_in("docs/zones.md", line), SizeIs(1)) << line;
  }
}

TEST(NameRule, OnlyQualifiedNamesInBackticksOfPagesAreLookedUp) {
  for (const char* line : {"`speed`", "Zone::speed", "`a` Zone::speed `b`", "`[::1]:8080`"}) {
    EXPECT_THAT(names_in("docs/zones.md", line), IsEmpty()) << line;
  }
  EXPECT_THAT(names_in("CHANGELOG.md", "`Zone::speed`"), IsEmpty());
}

}  // namespace
}  // namespace nlc::architecture

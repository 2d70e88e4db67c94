#include "controller/writes/reader.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/virtual_time.h"
#include "tests/controller/objects.h"
#include "tests/informer/scripted_transport.h"

namespace nlc::controller {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string lease(std::string_view name) {
  return R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":{"holderIdentity":"k"}})";
}

/// Its time of renewal is a number.
std::string lease_of_no_time(std::string_view name) {
  return R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":{"renewTime":12}})";
}

std::string list_of(const std::string& leases, std::string_view continue_token = {}) {
  return R"({"kind":"LeaseList","metadata":{"resourceVersion":"7","continue":")" +
         std::string(continue_token) + R"("},"items":[)" + leases + "]}";
}

/// What it was told of each node: who was found, who was not there, and of whom nothing is known.
class ToldOfLeases final : public ReadListener {
 public:
  void on_node_read(const NodeRef&, Result<api::Node>) override {}
  void on_leases(const ReadLeases& asked, Result<FoundLeases> read) override {
    ++answers;
    for (const std::string& node : asked.nodes) {
      if (!read) {
        unread.push_back(node);
      } else {
        const bool there = std::ranges::count(read->leases, node, &api::NodeLease::name) > 0;
        (there ? found : absent).push_back(node);
      }
    }
  }

  std::vector<std::string> found;
  std::vector<std::string> absent;
  std::vector<std::string> unread;
  int answers = 0;
};

struct LeasesInOneList : ::testing::Test {
  void read(std::vector<std::string> nodes) {
    reader.perform(ReadLeases{.nodes = std::move(nodes), .in_one_list = true});
  }
  void answer(std::string page) {
    server.answer(std::move(page));
    time.run_for(Duration{0});
  }

  sim::VirtualTime time{testing::noon};
  informer::testing::ScriptedTransport server{time};
  ToldOfLeases told;
  Reader reader{server, told};
};

TEST_F(LeasesInOneList, AreFoundOrAreNotThere) {
  read({"a", "b"});
  answer(list_of(lease("a") + "," + lease("other")));
  EXPECT_THAT(told.found, ElementsAre("a"));
  EXPECT_THAT(told.absent, ElementsAre("b"));
  EXPECT_EQ(told.answers, 1) << "all of a list that could be read are told of together";
}

TEST_F(LeasesInOneList, AreUnreadWhereTheirOwnCannotBeRead) {
  read({"a", "b", "c"});
  answer(list_of(lease("a") + "," + lease_of_no_time("b")));
  EXPECT_THAT(told.found, ElementsAre("a"));
  EXPECT_THAT(told.absent, ElementsAre("c"));
  EXPECT_THAT(told.unread, ElementsAre("b"));
}

TEST_F(LeasesInOneList, AreUnreadWhereOneThatCannotBeReadHasNoName) {
  read({"a", "b", "c"});
  answer(list_of(lease("a") + "," + "{}"));
  EXPECT_THAT(told.found, ElementsAre("a"));
  EXPECT_THAT(told.unread, ElementsAre("b", "c")) << "it may be anybody's";
  EXPECT_THAT(told.absent, IsEmpty());
}

TEST_F(LeasesInOneList, OfAllThatWereHiddenNobodyIsToldThatTheListWasRead) {
  read({"a", "b"});
  answer(list_of(lease_of_no_time("a") + "," + lease_of_no_time("b")));
  EXPECT_THAT(told.unread, ElementsAre("a", "b"));
  EXPECT_EQ(told.answers, 1);
}

TEST_F(LeasesInOneList, AreLookedForOnAllOfItsPages) {
  read({"a", "b"});
  answer(list_of(lease_of_no_time("a"), "next"));
  EXPECT_EQ(told.answers, 0);
  answer(list_of(lease("b")));
  EXPECT_THAT(told.unread, ElementsAre("a"));
  EXPECT_THAT(told.found, ElementsAre("b"));
}

TEST_F(LeasesInOneList, AreUnreadWhereItIsRefused) {
  read({"a", "b"});
  answer("no list");
  EXPECT_THAT(told.unread, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace nlc::controller

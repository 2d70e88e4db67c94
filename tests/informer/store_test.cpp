#include "informer/store.h"

#include <gmock/gmock.h>

#include "api/objects.h"

namespace nlc::informer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

api::Node node(std::string name, std::string version, std::string uid = "u1") {
  api::Node result;
  result.name = std::move(name);
  result.uid = std::move(uid);
  result.resource_version = std::move(version);
  return result;
}

/// Writes down what it is told: "a@1 in 0", "a@1→2 in 0", "a@2 left 0", "a@2 missing 0", "synced".
class Diary final : public StoreListener<api::Node> {
 public:
  explicit Diary(Store<api::Node>& store) : store_(store) { store.set_listener(this); }

  void on_stored(Slot slot, const api::Node& object, const api::Node* before) override {
    EXPECT_EQ(store_.find(object.name), object) << "told before it was stored";
    const std::string change = before == nullptr
                                   ? object.resource_version
                                   : before->resource_version + "→" + object.resource_version;
    lines.push_back(object.name + "@" + change + " in " + std::to_string(slot));
  }
  void on_removed(Slot slot, const api::Node& object) override {
    EXPECT_TRUE(store_.holds(slot)) << "the object has to be there during the call";
    lines.push_back(object.name + "@" + object.resource_version + " left " + std::to_string(slot));
  }
  void on_missing(Slot slot, const api::Node& object) override {
    EXPECT_TRUE(store_.holds(slot)) << "the object has to be there during the call";
    lines.push_back(object.name + "@" + object.resource_version + " missing " +
                    std::to_string(slot));
  }
  void on_synced() override {
    EXPECT_TRUE(store_.synced());
    lines.push_back("synced");
  }

  std::vector<std::string> take() { return std::exchange(lines, {}); }

 private:
  Store<api::Node>& store_;
  std::vector<std::string> lines;
};

std::vector<std::string> contents(const Store<api::Node>& store) {
  std::vector<std::string> result;
  store.each([&](Slot slot, const api::Node& object) {
    result.push_back(std::to_string(slot) + ":" + object.name + "@" + object.resource_version);
  });
  return result;
}

TEST(Store, TellsItsListenerOfEachChangeRightAfterItWasMade) {
  Store<api::Node> store;
  Diary diary(store);

  store.apply(node("a", "1"));
  store.apply(node("b", "2"));
  store.apply(node("a", "3"));
  store.remove("b");

  EXPECT_THAT(diary.take(), ElementsAre("a@1 in 0", "b@2 in 1", "a@1→3 in 0", "b@2 left 1"));
}

TEST(Store, AnOlderVersionThanTheOneAtHandChangesNothing) {
  Store<api::Node> store;
  store.apply(node("a", "10"));
  Diary diary(store);

  store.apply(node("a", "9"));

  EXPECT_EQ(store.find("a")->resource_version, "10");
  EXPECT_THAT(diary.take(), IsEmpty());
}

TEST(Store, ASlotStaysTheSameForAsLongAsItsObjectExists) {
  Store<api::Node> store;
  for (const char* name : {"a", "b", "c"}) store.apply(node(name, "1"));
  const Slot slot = *store.slot_of("b");

  store.remove("a");
  store.apply(node("d", "5"));
  store.apply(node("b", "6"));
  store.replace({node("e", "7"), node("b", "8")});

  EXPECT_EQ(store.slot_of("b"), slot);
  EXPECT_EQ(store.at(slot).resource_version, "8");
}

TEST(Store, AFreedSlotIsGivenToTheNextNewObject) {
  Store<api::Node> store;
  for (const char* name : {"a", "b", "c"}) store.apply(node(name, "1"));
  store.remove("b");
  EXPECT_FALSE(store.holds(1));

  store.apply(node("d", "2"));

  EXPECT_EQ(store.slot_of("d"), 1U);
  EXPECT_EQ(store.slot_count(), 3U);
}

TEST(Store, RemovingWhatIsNotThereTellsNobody) {
  Store<api::Node> store;
  Diary diary(store);

  store.remove("a");

  EXPECT_THAT(diary.take(), IsEmpty());
}

// --- versions of events --------------------------------------------------------------------------

TEST(Store, AVersionThatCannotBeComparedIsBelievedAsItComes) {
  for (const auto& [held, came] :
       {std::pair("10", ""), std::pair("", "10"), std::pair("10", "abc"), std::pair("abc", "5"),
        std::pair("abc", "ab"), std::pair("b", "a")}) {
    Store<api::Node> store;
    store.apply(node("a", held));
    store.apply(node("a", came));
    EXPECT_EQ(store.find("a")->resource_version, came);
  }
}

TEST(Store, ADeletionOfAFormerObjectOfTheSameNameDoesNotRemoveTheNewOne) {
  Store<api::Node> store;
  store.apply(node("a", "20", "second"));

  store.apply_deletion(node("a", "15", "first"));

  EXPECT_TRUE(store.find("a"));
}

TEST(Store, ADeletionOfTheObjectItselfRemovesItWhateverItsVersion) {
  for (const char* version : {"15", "20", "25", "", "abc"}) {
    Store<api::Node> store;
    store.apply(node("a", "20", "first"));
    store.apply_deletion(node("a", version, "first"));
    EXPECT_FALSE(store.find("a")) << version;
  }
}

TEST(Store, ADeletionOfALaterObjectShowsThatTheOneAtHandIsGoneToo) {
  Store<api::Node> store;
  store.apply(node("a", "20", "first"));
  store.apply_deletion(node("a", "30", "second"));
  EXPECT_FALSE(store.find("a"));
}

TEST(Store, ADeletionWithoutAUidCountsByItsVersion) {
  for (const auto& [version, stays] : {std::pair("15", true), std::pair("25", false),
                                       std::pair("", false), std::pair("abc", false)}) {
    Store<api::Node> store;
    store.apply(node("a", "20", "first"));
    store.apply_deletion(node("a", version, ""));
    EXPECT_EQ(store.find("a").has_value(), stays) << version;
  }
}

// --- complete lists ------------------------------------------------------------------------------

TEST(Store, IsSyncedByTheFirstCompleteListEvenAnEmptyOne) {
  Store<api::Node> store;
  Diary diary(store);
  store.apply(node("a", "1"));
  EXPECT_FALSE(store.synced());
  diary.take();

  store.replace({});

  EXPECT_THAT(diary.take(), ElementsAre("a@1 missing 0", "synced"));
  EXPECT_TRUE(store.synced());
}

TEST(Store, ACompleteListSaysWhatIsThereAndWhatIsGoneAndNothingAboutWhatIsUnchanged) {
  Store<api::Node> store;
  store.replace({node("a", "1"), node("b", "2"), node("c", "3")});
  Diary diary(store);

  store.replace({node("d", "9"), node("c", "3"), node("b", "8")});

  EXPECT_THAT(diary.take(), ElementsAre("d@9 in 3", "b@2→8 in 1", "a@1 missing 0", "synced"));
}

TEST(Store, ACompleteListIsBelievedWhenItsVersionsRunBackwards) {
  Store<api::Node> store;
  store.replace({node("a", "5000"), node("b", "4000")});

  store.replace({node("a", "300")});
  store.apply(node("a", "301"));

  EXPECT_THAT(contents(store), ElementsAre("0:a@301"));
}

TEST(Store, AnObjectMadeAnewBetweenTwoListsIsOneUpdateWithAnotherUid) {
  Store<api::Node> store;
  store.replace({node("a", "1", "first")});
  Diary diary(store);

  store.replace({node("a", "1", "second")});

  EXPECT_EQ(store.find("a")->uid, "second");
  EXPECT_THAT(diary.take(), ElementsAre("a@1→1 in 0", "synced"));
}

TEST(Store, OfAnObjectListedTwiceTheNewerStateCounts) {
  for (const auto& [first, second] : {std::pair("9", "10"), std::pair("10", "9")}) {
    Store<api::Node> store;
    Diary diary(store);
    store.replace({node("a", first), node("a", second)});
    EXPECT_THAT(contents(store), ElementsAre("0:a@10"));
    EXPECT_EQ(store.size(), 1U);

    store.replace({node("a", first), node("a", second)});
    EXPECT_THAT(contents(store), ElementsAre("0:a@10"));
  }
}

TEST(Store, OfAnObjectListedTwiceWithoutNumbersTheLaterStateCounts) {
  Store<api::Node> store;
  store.replace({node("a", "x"), node("a", "c")});
  EXPECT_EQ(store.find("a")->resource_version, "c");
}

/// Reads a list at `state`: these objects, and whatever `more` does to it.
template <typename More>
std::size_t read_list(Store<api::Node>& store, const std::vector<api::Node>& objects,
                      const ListState& state, More more) {
  ListedObjects<api::Node> list(store.texts());
  for (const api::Node& object : objects) list.add(object);
  more(list);
  return store.take_over(list, state);
}
std::size_t read_list(Store<api::Node>& store, const std::vector<api::Node>& objects,
                      const ListState& state) {
  return read_list(store, objects, state, [](auto&) {});
}

TEST(Store, AnAnswerToAWriteThatIsNewerThanTheWholeListIsNotUndoneByIt) {
  Store<api::Node> store;
  store.replace({node("a", "8"), node("b", "8")});
  Diary diary(store);

  read_list(store, {node("a", "9"), node("b", "9")}, {.version = "10"},
            [&](auto&) { store.refresh(node("a", "12")); });

  EXPECT_THAT(contents(store), ElementsAre("0:a@12", "1:b@9"));
  EXPECT_THAT(diary.take(), ElementsAre("a@8→12 in 0", "b@8→9 in 1", "synced"));
}

TEST(Store, WhatIsNoNewerThanTheListIsReplacedByIt) {
  Store<api::Node> store;
  store.replace({node("a", "10")});
  read_list(store, {node("a", "9")}, {.version = "10"});
  EXPECT_EQ(store.find("a")->resource_version, "9");
}

TEST(Store, OfAServerThatWentBackEverythingIsTaken) {
  Store<api::Node> store;
  store.replace({node("a", "5000")});
  read_list(store, {node("a", "9")}, {.version = "300", .rewound = true});
  EXPECT_EQ(store.find("a")->resource_version, "9");
}

TEST(Store, AServerThatWentBackMayHaveGivenAVersionToAnotherState) {
  Store<api::Node> store;
  store.replace({node("a", "9")});
  api::Node other = node("a", "9");
  other.unschedulable = true;
  read_list(store, {other}, {.version = "300", .rewound = true});
  EXPECT_TRUE(store.find("a")->unschedulable);
}

TEST(Store, AnotherObjectOfTheNameIsTakenHoweverNewTheOneAtHand) {
  Store<api::Node> store;
  store.replace({node("a", "12", "first")});
  read_list(store, {node("a", "9", "second")}, {.version = "10"});
  EXPECT_EQ(store.find("a")->uid, "second");
}

// --- old contents under new versions -------------------------------------------------------------

TEST(Store, AnObjectOlderThanWhatIsHeldContradictsItInAListThatIsNotOlder) {
  for (const std::string_view list : {"12", "1000000009"}) {
    Store<api::Node> store;
    store.replace({node("a", "12"), node("b", "10"), node("c", "7"), node("d", "7")});

    const std::vector<api::Node> restored = {node("a", "9"), node("b", "8"), node("c", "7")};
    EXPECT_EQ(read_list(store, restored, {.version = list}), 2U);
    EXPECT_THAT(contents(store), ElementsAre("0:a@9", "1:b@8", "2:c@7")) << "and is taken";
    EXPECT_EQ(read_list(store, restored, {.version = list}), 0U) << "said once";
  }
}

TEST(Store, AnOlderObjectOfTheNameContradictsALaterOneThatIsHeld) {
  Store<api::Node> store;
  store.replace({node("a", "12", "second")});
  EXPECT_EQ(read_list(store, {node("a", "9", "first")}, {.version = "1000"}), 1U);
}

TEST(Store, AnAnswerToAWriteThatOvertookTheListIsNoContradiction) {
  Store<api::Node> store;
  store.replace({node("a", "8"), node("b", "8")});
  EXPECT_EQ(read_list(store, {node("a", "8"), node("b", "9", "another")}, {.version = "10"},
                      [&](auto&) {
                        store.refresh(node("a", "12"));
                        store.refresh(node("b", "11"));
                      }),
            0U);
}

TEST(Store, AnObjectThatIsListedTwiceContradictsNothingWhereItsNewerStateDoesNot) {
  for (const auto& [first, second] : {std::pair("9", "12"), std::pair("12", "9")}) {
    Store<api::Node> store;
    store.replace({node("a", "8")});
    EXPECT_EQ(read_list(store, {node("a", first), node("a", second)}, {.version = "12"},
                        [&](auto&) { store.refresh(node("a", "12")); }),
              0U);
    EXPECT_EQ(read_list(store, {node("a", "9"), node("a", "10")}, {.version = "13"}), 1U);
  }
}

TEST(Store, WhatIsMissingOrUnreadableOrNewerContradictsNothing) {
  Store<api::Node> store;
  store.replace({node("a", "12"), node("b", "12"), node("c", "12")});
  EXPECT_EQ(read_list(store, {node("a", "13"), node("d", "1")}, {.version = "20"},
                      [&](auto& list) { list.keep("b"); }),
            0U);
}

TEST(Store, WhereVersionsCannotBeComparedNothingIsContradicted) {
  Store<api::Node> store;
  store.replace({node("a", "12")});
  EXPECT_EQ(read_list(store, {node("a", "9")}, {.version = "new"}), 0U);
  EXPECT_EQ(read_list(store, {node("a", "x")}, {.version = "20"}), 0U);
  EXPECT_EQ(read_list(store, {node("a", "9")}, {.version = "20"}), 0U);
  EXPECT_EQ(read_list(store, {node("a", "")}, {.version = "20"}), 0U);
}

/// It bears out what may have been the word of one late server, or shows that it went back again.
TEST(Store, WhereTheServerMayHaveGoneBackContradictionsAreCountedAllTheSame) {
  Store<api::Node> store;
  store.replace({node("a", "12"), node("b", "5000")});
  const std::vector<api::Node> restored = {node("a", "9"), node("b", "8")};
  EXPECT_EQ(read_list(store, restored, {.version = "300", .rewound = true}), 1U)
      << "what is newer than the list shows by the list's version";
}

// --- objects of a list that cannot be read -------------------------------------------------------

TEST(Store, WhatIsListedAndCannotBeReadStaysAsItIs) {
  Store<api::Node> store;
  store.replace({node("a", "1"), node("b", "2"), node("c", "3")});
  Diary diary(store);

  read_list(store, {node("a", "1")}, {.version = "10"}, [&](auto& list) {
    list.keep("b");
    list.keep("nobody");
  });

  EXPECT_THAT(contents(store), ElementsAre("0:a@1", "1:b@2"));
  EXPECT_THAT(diary.take(), ElementsAre("c@3 missing 2", "synced"));
  store.apply(node("b", "4"));
  EXPECT_EQ(store.find("b")->resource_version, "4");
  store.replace({});
  EXPECT_EQ(store.size(), 0U) << "kept in that list only";
}

TEST(Store, NothingThatIsMissingIsRemovedWhereKeysCannotBeRead) {
  Store<api::Node> store;
  store.replace({node("a", "1"), node("b", "2")});

  read_list(store, {node("a", "5"), node("c", "6")}, {.version = "10"},
            [&](auto& list) { list.keep_missing(); });
  EXPECT_THAT(contents(store), ElementsAre("0:a@5", "1:b@2", "2:c@6"));

  store.replace({node("a", "5")});
  EXPECT_THAT(contents(store), ElementsAre("0:a@5"));
}

TEST(Store, WhatWentWhileTheListWasReadIsNotKept) {
  Store<api::Node> store;
  store.replace({node("a", "1")});
  read_list(store, {node("b", "2")}, {.version = "10"}, [&](auto& list) {
    list.keep("a");
    list.remove(node("a", "9"));
    list.remove(node("b", "9"));
  });
  EXPECT_EQ(store.size(), 0U);
}

TEST(Store, ALaterObjectOfTheNameStaysListedWhenTheDeletionOfAFormerOneComes) {
  Store<api::Node> store;
  read_list(store, {node("a", "20", "second")}, {.version = "30"},
            [&](auto& list) { list.remove(node("a", "15", "first")); });
  EXPECT_TRUE(store.find("a"));
}

TEST(Store, WhatStaysOfTheTimeBeforeAServerWentBackIsCurrentWhenItCanBeReadAgain) {
  Store<api::Node> store;
  store.replace({node("a", "5000"), node("b", "20")});
  read_list(store, {}, {.version = "300", .rewound = true}, [&](auto& list) {
    list.keep("a");
    list.keep("b");
  });
  EXPECT_THAT(contents(store), ElementsAre("0:a@300", "1:b@20"));

  store.apply(node("a", "301"));
  EXPECT_EQ(store.find("a")->resource_version, "301");
}

TEST(Store, AnswerToAWriteOfOursDoesNotBringADeletedObjectBack) {
  Store<api::Node> store;
  store.replace({node("a", "1")});
  store.remove("a");  // the deletion overtook the answer

  store.refresh(node("a", "2"));

  EXPECT_FALSE(store.find("a"));
}

TEST(Store, AnswerToAWriteOfOursIsTakenOnlyForTheObjectThatWasWritten) {
  Store<api::Node> store;
  store.replace({node("a", "1", "first")});

  store.refresh(node("a", "3", "second"));
  EXPECT_EQ(store.find("a")->uid, "first") << "its own events will tell of the new one";

  store.refresh(node("a", "2", "first"));
  EXPECT_EQ(store.find("a")->resource_version, "2");
  store.refresh(node("a", "1", "first"));
  EXPECT_EQ(store.find("a")->resource_version, "2");
}

}  // namespace
}  // namespace nlc::informer

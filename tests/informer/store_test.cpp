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

/// Writes down what it is told: "a@1 in 0", "a@1→2 in 0", "a@2 left 0", "synced".
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

TEST(Store, IsSyncedByTheFirstCompleteListEvenAnEmptyOne) {
  Store<api::Node> store;
  Diary diary(store);
  store.apply(node("a", "1"));
  EXPECT_FALSE(store.synced());
  diary.take();

  store.replace({});

  EXPECT_THAT(diary.take(), ElementsAre("a@1 left 0", "synced"));
  EXPECT_TRUE(store.synced());
}

TEST(Store, ACompleteListSaysWhatIsThereAndWhatIsGoneAndNothingAboutWhatIsUnchanged) {
  Store<api::Node> store;
  store.replace({node("a", "1"), node("b", "2"), node("c", "3")});
  Diary diary(store);

  store.replace({node("d", "9"), node("c", "3"), node("b", "8")});

  EXPECT_THAT(diary.take(), ElementsAre("d@9 in 3", "b@2→8 in 1", "a@1 left 0", "synced"));
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

TEST(Store, AnObjectListedTwiceIsOneObject) {
  Store<api::Node> store;
  store.replace({node("a", "1"), node("a", "2")});

  EXPECT_THAT(contents(store), ElementsAre("0:a@2"));
  EXPECT_EQ(store.size(), 1U);
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

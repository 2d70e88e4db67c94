#include "tests/informer/watching.h"

/// What a server pays for us, whatever it or a proxy does: whole lists are bounded by their
/// back-off, openings by a back-off or a budget.
namespace nlc::informer::testing {
namespace {

using api::EventType;

/// So many waits double before they are 15 s at least.
constexpr std::size_t doubling = 6;

/// Whole lists that the server began to answer: when.
using Lists = std::vector<Instant>;

void expect_bounded(const Lists& lists, std::string_view of) {
  for (std::size_t later = doubling + 1; later < lists.size(); ++later) {
    ASSERT_GE(lists[later] - lists[later - 1], 15s) << of << ", list " << later;
  }
  EXPECT_LE(lists.size(), 250U) << of;
}

/// What a server does to each list that is asked for and to each stream, until an hour is over.
template <typename ToList, typename ToStream>
Lists play(Watching& watching, ToList to_list, ToStream to_stream) {
  Lists lists;
  while (watching.now < start + 1h) {
    if (watching.would<WaitUntil>()) {
      watching.wait();
    } else if (watching.streams_a_list() || watching.lists_by_pages()) {
      lists.push_back(watching.now);
      to_list(watching);
      const bool complete = !watching.machine.version().empty();
      if (complete && watching.would<OpenWatch>()) to_stream(watching);  // the same one goes on
    } else {
      to_stream(watching);
    }
  }
  return lists;
}

void serve_list(Watching& watching) {
  if (watching.would<GetPage>()) {
    watching.page("10");
  } else {
    watching.machine.accepted();
    watching.added("9");
    watching.marked_bookmark("10");
  }
}

/// What a server or a proxy does to a stream or a list.
using StreamEnding = std::function<void(Watching&)>;

/// All ways in which a stream may end but for a 410 in it.
const std::vector<std::pair<std::string, StreamEnding>> stream_endings = {
    {"closed", [](Watching& watching) { watching.end(closed()); }},
    {"reset", [](Watching& watching) { watching.end(broken()); }},
    {"refused with 410", [](Watching& watching) { watching.end(refused(410)); }},
    {"refused with 500", [](Watching& watching) { watching.end(refused(500)); }},
    {"refused with 400", [](Watching& watching) { watching.end(refused(400)); }},
    {"error 500", [](Watching& watching) { watching.error(500, "InternalError"); }},
    {"error 429", [](Watching& watching) { watching.error(429, "TooManyRequests"); }},
    {"event, closed",
     [](Watching& watching) {
       watching.machine.accepted();
       watching.added("11");
       watching.end(closed());
     }},
    {"bookmark, closed",
     [](Watching& watching) {
       watching.event(EventType::Bookmark, "11");
       watching.end(closed());
     }},
    {"garbage, closed",
     [](Watching& watching) {
       watching.event(EventType::Malformed, "");
       watching.end(closed());
     }},
    {"ten seconds, reset",
     [](Watching& watching) {
       watching.machine.accepted();
       watching.now += 10s;
       watching.end(broken());
     }},
};

TEST(WatchMachineCost, EndingsInTurnCostNoMoreListsThanOneOfThemAlone) {
  const StreamEnding gone = [](Watching& watching) { watching.error(410, "Expired"); };
  for (const bool stream_lists : {true, false}) {
    for (const auto& [name, ending] : stream_endings) {
      Watching watching({.stream_lists = stream_lists});
      bool turn = false;
      const Lists lists = play(watching, serve_list, [&](Watching& streaming) {
        turn = !turn;
        turn ? ending(streaming) : gone(streaming);
      });
      expect_bounded(lists, name);
    }
  }
}

TEST(WatchMachineCost, ListsThatNeverComeToTheirEndAreBounded) {
  const std::vector<std::pair<std::string, StreamEnding>> ways = {
      {"closed after the first event",
       [](Watching& watching) {
         watching.added("9");
         watching.end(closed());
       }},
      {"reset after it was taken",
       [](Watching& watching) {
         watching.machine.accepted();
         watching.end(broken());
       }},
      {"410 after the first event",
       [](Watching& watching) {
         watching.added("9");
         watching.error(410, "Expired");
       }},
      {"no end",
       [](Watching& watching) {
         watching.machine.accepted();
         watching.silence();
       }},
  };
  for (const auto& [name, way] : ways) {
    Watching watching({.refusal_memory = 0s});
    const auto to_list = [&](Watching& listing) {
      if (listing.would<OpenWatch>()) return way(listing);
      listing.page("10", "second");
      listing.page_fails(failed(Fault::Gone));
    };
    expect_bounded(play(watching, to_list, [](Watching&) { FAIL(); }), name);
  }
}

TEST(WatchMachineCost, PagesThatExpireInTheMiddleAreBounded) {
  Watching watching({.stream_lists = false});
  const auto to_list = [](Watching& listing) {
    listing.page("10", "second");
    listing.page_fails(failed(Fault::Gone));
  };
  expect_bounded(play(watching, to_list, [](Watching&) { FAIL(); }), "410");
}

TEST(WatchMachineCost, AListAfterALongHealthyLifeComesAtOnceHoweverManyCameBefore) {
  Watching watching;
  for (int times = 0; times < 10; ++times) {
    watching.sync_at("10");
    watching.error(410, "Expired");
    watching.wait();
  }
  watching.sync_at("10");
  for (int minute = 0; minute < 3; ++minute) {
    watching.now += 1min;
    watching.event(EventType::Bookmark, std::to_string(20 + minute));
  }
  watching.error(410, "Expired");
  EXPECT_LE(watching.wait(), 800ms);
  EXPECT_TRUE(watching.streams_a_list());
}

TEST(WatchMachineCost, GarbageForALongTimeIsNoHealthyLife) {
  Watching watching({.progress_limit = 1h});
  for (int times = 0; times < 10; ++times) {
    watching.sync_at("10");
    for (int minute = 0; minute < 5; ++minute) {
      watching.now += 1min;
      watching.event(EventType::Malformed, "");
    }
    watching.error(410, "Expired");
    watching.wait();
  }
  watching.sync_at("10");
  watching.error(410, "Expired");
  EXPECT_GE(watching.wait(), 15s);
}

TEST(WatchMachineCost, AListThatSomebodyElseAsksForIsFreeOnceAndThenKeepsToTheBackOff) {
  Watching watching;
  Lists lists;
  while (watching.now < start + 1h) {
    if (watching.streams_a_list()) {
      lists.push_back(watching.now);
      watching.sync_at("10");
    }
    watching.now += 1s;
    if (watching.would<WaitUntil>()) {
      if (watching.now >= watching.wants<WaitUntil>().until) watching.wait();
    } else {
      watching.list_anew();
    }
  }
  EXPECT_EQ(lists[1] - lists[0], 1s);
  expect_bounded(lists, "list_anew");
}

// --- anything, by lot ----------------------------------------------------------------------------

/// A server, or a proxy before it, that does what chance says, but lets no stream live for two
/// minutes.
class Chance {
 public:
  explicit Chance(std::uint64_t seed)
      : random_(seed),
        watching_({.stream_lists = seed % 4 != 0, .refusal_memory = 3min}, seed),
        hurries_(seed % 3 == 0) {}

  void play_an_hour() {
    while (watching_.now < start + 1h) {
      if (watching_.would<WaitUntil>()) {
        hurries_ ? static_cast<void>(watching_.wait_hurried(250ms, 1h))
                 : static_cast<void>(watching_.wait());
        continue;
      }
      ++asked_;
      if (watching_.would<ProbeVersion>()) {
        probe();
      } else if (watching_.would<GetPage>()) {
        page();
      } else {
        stream();
      }
    }
  }

  const Lists& served() const { return served_; }
  int asked() const { return asked_; }
  bool hurries() const { return hurries_; }

 private:
  std::optional<Duration> retry_after() {
    if (random_.below(2) == 0) return std::nullopt;
    return std::chrono::seconds(random_.below(4000));
  }
  Error fault() {
    constexpr std::array faults{Fault::Gone,      Fault::Unavailable, Fault::Timeout,
                                Fault::Forbidden, Fault::Throttled,   Fault::Malformed,
                                Fault::NotFound,  Fault::Invalid,     Fault::Unauthorized};
    return failed(faults.at(random_.below(faults.size())), retry_after());
  }
  client::StreamEnd refusal() {
    constexpr std::array codes{302, 400, 401, 403, 404, 410, 422, 429, 500, 503, 504};
    return refused(codes.at(random_.below(codes.size())), retry_after());
  }

  void probe() {
    if (random_.below(2) == 0) return watching_.page_fails(fault());
    watching_.next =
        watching_.machine.on_probe(random_.below(2) == 0 ? "1" : version(), watching_.now);
  }

  void page() {
    const Instant begun = watching_.now;
    if (random_.below(3) == 0) {
      const Error error = fault();
      if (error.fault == Fault::Malformed && watching_.lists_by_pages()) served_.push_back(begun);
      return watching_.page_fails(error);
    }
    if (watching_.lists_by_pages()) served_.push_back(begun);
    const std::size_t kind = random_.below(4);
    if (kind == 0) return static_cast<void>(watching_.page(version(), "token"));
    if (kind == 1) return static_cast<void>(watching_.page("", ""));
    watching_.page(version(), kind == 2 ? version() : "");
  }

  void stream() {
    if (random_.below(4) == 0) return watching_.end(refusal());
    if (random_.below(4) == 0) return watching_.end(broken());
    const bool lists = watching_.streams_a_list();
    if (lists) served_.push_back(watching_.now);
    watching_.machine.accepted();
    for (std::size_t events = random_.below(4); events > 0; --events) event();
    if (lists && random_.below(2) == 0) watching_.marked_bookmark(version());
    for (std::size_t events = random_.below(4); events > 0; --events) event();
    leave();
  }

  void event() {
    if (!watching_.would<OpenWatch>()) return;
    watching_.now += random_.between(0s, random_.below(2) == 0 ? 1s : 15s);
    constexpr std::array types{EventType::Added, EventType::Modified, EventType::Deleted,
                               EventType::Bookmark, EventType::Malformed};
    watching_.event(types.at(random_.below(types.size())), version());
  }

  void leave() {
    if (!watching_.would<OpenWatch>()) return;
    if (random_.below(15) == 0) return static_cast<void>(watching_.silence());
    switch (random_.below(5)) {
      case 0:
        return watching_.end(closed());
      case 1:
        return watching_.end(broken());
      case 2:
        return static_cast<void>(watching_.error(500, "InternalError", retry_after()));
      case 3:
        return static_cast<void>(watching_.error(429, "TooManyRequests", retry_after()));
      default:
        watching_.error(410, "Expired");
    }
  }

  std::string version() { return std::to_string(++version_); }

  Random random_;
  Watching watching_;
  Lists served_;
  int asked_ = 0;
  std::uint64_t version_ = 10;
  bool hurries_;
};

TEST(WatchMachineCost, WhateverHappensForAnHourListsAndOpeningsAreBounded) {
  std::size_t most_lists = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Chance chance(seed);
    chance.play_an_hour();
    expect_bounded(chance.served(), "seed " + std::to_string(seed));
    EXPECT_LE(chance.asked(), chance.hurries() ? 1800 : 900) << "seed " << seed;
    most_lists = std::max(most_lists, chance.served().size());
  }
  EXPECT_GT(most_lists, 80U) << "chance should have tried harder";
}

}  // namespace
}  // namespace nlc::informer::testing

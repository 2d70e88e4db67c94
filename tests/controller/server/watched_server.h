#pragma once

#include <gtest/gtest.h>

#include "controller/server/api_server_health.h"
#include "tests/controller/objects.h"
#include "tests/controller/stores.h"

namespace nlc::controller::testing {

/// The watch of leases as a test has it; the others have listed once.
class WatchedServer : public ::testing::Test, protected Stores, protected Watches {
 protected:
  WatchedServer() { health.lead(true); }

  WatchProgress progress(Watched what) const override {
    return what == Watched::Leases ? leases_watch
                                   : WatchProgress{.version = "1",
                                                   .lists = lists,
                                                   .restarts = other_restarts,
                                                   .breaks = other_breaks,
                                                   .breaks_at_list = other_breaks_at_list,
                                                   .synced = true,
                                                   .open = true};
  }
  void keep(const std::string& node, Instant when) {
    health.keep(
        {.asked = {.nodes = {node}, .asked = when, .dated = true}, .found = {}, .answered = when});
  }
  /// Time, in which the stream of leases said something.
  Instant heard_for(Duration span) {
    return leases_watch.last_heard = leases_watch.last_change = now += span;
  }
  void answer_question(std::string version) {
    health.question_sent(now);
    now += 10ms;
    health.question_answered(LeasePage{.items = {}, .resource_version = std::move(version)}, now);
  }

  std::uint64_t lists = 1;
  std::uint64_t other_restarts = 0;
  std::uint64_t other_breaks = 0;
  std::uint64_t other_breaks_at_list = 0;
  WatchProgress leases_watch{.version = "50",
                             .lists = 1,
                             .last_heard = start,
                             .last_change = start,
                             .synced = true,
                             .open = true};
  Instant now = start;
  ApiServerHealth health{
      view(), *this, {.blind_after = 10s, .probe_after = 5s, .probes = true}, start};
};

}  // namespace nlc::controller::testing

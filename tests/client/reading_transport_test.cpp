#include "client/reading_transport.h"

#include <gtest/gtest.h>

#include "api/lease.h"
#include "client/verbs.h"
#include "held_transport.h"
#include "sim/virtual_time.h"

namespace nlc::client {
namespace {

struct Reading {
  explicit Reading(std::optional<ReadingTransport::Lock> lock) : transport(held, time, lock) {}
  /// Whether that went on to the server.
  bool passes(Request request) {
    const std::size_t before = held.sent.size();
    bool refused = false;
    transport.send(std::move(request), [&refused](Result<Response> response) {
      refused = !response && response.error().fault == Fault::NotLeading;
    });
    time.run_ready();
    EXPECT_NE(held.sent.size() > before, refused);
    return held.sent.size() > before;
  }
  sim::VirtualTime time{WallTime{}};
  HeldTransport held;
  ReadingTransport transport;
};

const ReadingTransport::Lock lock{.namespace_ = "kube-system", .name = "observe"};
const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

Request write(std::string method, std::string target, RequestPriority priority,
              std::string body = {}) {
  return {.method = std::move(method),
          .target = std::move(target),
          .body = std::move(body),
          .priority = priority};
}

TEST(ReadingTransport, ReadsPassWhateverTheyAreFor) {
  Reading it(std::nullopt);
  EXPECT_TRUE(it.passes({.target = "/api/v1/nodes"}));
  EXPECT_TRUE(it.passes({.target = leases + "/other", .priority = RequestPriority::Election}));
}

TEST(ReadingTransport, NoWritePassesWhateverItIsFor) {
  Reading it(lock);
  for (std::size_t priority = 0; priority < priority_count; ++priority) {
    const auto of = static_cast<RequestPriority>(priority);
    for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
      EXPECT_FALSE(it.passes(write(method, "/api/v1/nodes/a", of))) << method;
      EXPECT_FALSE(it.passes(write(method, "/api/v1/namespaces/default/events", of))) << method;
      EXPECT_FALSE(it.passes(write(method, leases + "/other", of, "\"name\":\"observe\"")));
    }
  }
}

TEST(ReadingTransport, ItsOwnLockIsCreatedAndRenewedAndNoOtherLease) {
  Reading it(lock);
  api::Lease ours{.namespace_ = "kube-system", .name = "observe"};
  const auto nobody = [](Result<api::Lease>) {};
  create_lease(it.transport, RequestPriority::Election, ours, std::chrono::seconds(1), nobody);
  update_lease(it.transport, RequestPriority::Election, ours, std::chrono::seconds(1), nobody);
  EXPECT_EQ(it.held.sent.size(), 2U);
  ours.name = "observer";
  create_lease(it.transport, RequestPriority::Election, ours, std::chrono::seconds(1), nobody);
  update_lease(it.transport, RequestPriority::Election, ours, std::chrono::seconds(1), nobody);
  EXPECT_EQ(it.held.sent.size(), 2U);
}

TEST(ReadingTransport, ItsOwnLockIsWrittenByItsElectionAlone) {
  Reading it(lock);
  for (std::size_t priority = 0; priority < priority_count; ++priority) {
    const auto of = static_cast<RequestPriority>(priority);
    EXPECT_EQ(it.passes(write("PUT", leases + "/observe", of)), of == RequestPriority::Election);
  }
}

TEST(ReadingTransport, WithoutALockNoLeaseIsWrittenEither) {
  Reading it(std::nullopt);
  EXPECT_FALSE(it.passes(write("PUT", leases + "/observe", RequestPriority::Election)));
  EXPECT_FALSE(
      it.passes(write("POST", leases, RequestPriority::Election, "{\"name\":\"observe\"}")));
}

}  // namespace
}  // namespace nlc::client

#include "controller/server/write_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/virtual_time.h"
#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;
using ::testing::ElementsAre;

/// A server whose every answer the test gives.
class Answering final : public client::Transport {
 public:
  void send(client::Request request, client::Answer answer) override {
    methods.push_back(request.method);
    answer_ = std::move(answer);
  }
  Subscription watch(client::Request, std::unique_ptr<client::StreamReader>) override { return {}; }

  void answer(Result<client::Response> response) {
    std::exchange(answer_, nullptr)(std::move(response));
  }
  bool waits() const { return answer_ != nullptr; }

  std::vector<std::string> methods;

 private:
  client::Answer answer_;
};

class WriteProbeTest : public ::testing::Test {
 protected:
  void begin() {
    server.methods.clear();
    written.reset();
    probe.begin([this](const Result<WriteProbe::Written>& answer) { written = answer; });
  }
  void answer_lease(const std::string& version, const std::string& uid = "u") {
    server.answer(client::Response{
        .status = 200,
        .body = R"({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata":
                {"namespace": "kube-system", "name": "probe", "uid": ")" +
                uid + R"(", "resourceVersion": ")" + version + R"("}, "spec": {}})"});
  }
  void refuse(int status, const std::string& reason) {
    server.answer(client::Response{
        .status = status,
        .body = R"({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": ")" +
                reason + R"(", "code": )" + std::to_string(status) + "}"});
  }
  /// One that was taken.
  void let_be_written(const std::string& version) {
    begin();
    answer_lease(version);
    ASSERT_TRUE(written && *written);
  }

  sim::VirtualTime time{noon};
  Answering server;
  WriteProbe probe{{server, time}, {.namespace_ = "kube-system", .name = "probe"}};
  std::optional<Result<WriteProbe::Written>> written;
};

TEST_F(WriteProbeTest, LeaseIsMadeOnceAndThenRenewed) {
  begin();
  EXPECT_THAT(server.methods, ElementsAre("POST"));
  answer_lease("7");
  ASSERT_TRUE(written && *written);
  EXPECT_EQ((*written)->version, "7");
  EXPECT_FALSE((*written)->went_back);
  begin();
  EXPECT_THAT(server.methods, ElementsAre("PUT"));
  answer_lease("8");
  EXPECT_EQ((*written)->version, "8");
  EXPECT_FALSE((*written)->went_back);
  EXPECT_FALSE((*written)->borne_out);
}

TEST_F(WriteProbeTest, LeaseThatIsThereAlreadyIsReadAndRenewed) {
  begin();
  refuse(409, "AlreadyExists");
  EXPECT_THAT(server.methods, ElementsAre("POST", "GET"));
  answer_lease("7");
  EXPECT_THAT(server.methods, ElementsAre("POST", "GET", "PUT"));
  EXPECT_FALSE(written);
  answer_lease("8");
  EXPECT_EQ((*written)->version, "8");
  EXPECT_FALSE((*written)->went_back) << "nothing of ours was acknowledged before";
}

TEST_F(WriteProbeTest, LeaseThatAnotherRenewedIsReadOnceAndRenewed) {
  let_be_written("7");
  begin();
  refuse(409, "Conflict");
  answer_lease("8");
  EXPECT_THAT(server.methods, ElementsAre("PUT", "GET", "PUT"));
  answer_lease("9");
  EXPECT_FALSE((*written)->went_back);
  begin();
  refuse(409, "Conflict");
  answer_lease("10");
  refuse(409, "Conflict");
  EXPECT_THAT(server.methods, ElementsAre("PUT", "GET", "PUT")) << "once";
  ASSERT_TRUE(written);
  EXPECT_EQ(written->error().fault, Fault::Conflict);
}

TEST_F(WriteProbeTest, WriteThatIsTakenOnAnOlderLeaseIsOfARestoredServer) {
  let_be_written("7");
  begin();
  refuse(409, "Conflict");
  answer_lease("6");
  answer_lease("8");
  EXPECT_TRUE((*written)->went_back);
  EXPECT_TRUE((*written)->borne_out);
  let_be_written("9");
  EXPECT_FALSE((*written)->went_back) << "each probe tells of itself";
  EXPECT_FALSE((*written)->borne_out);
}

TEST_F(WriteProbeTest, WriteThatIsRefusedOnAnOlderLeaseBearsNothingOut) {
  let_be_written("7");
  begin();
  refuse(409, "Conflict");
  answer_lease("6");
  refuse(409, "Conflict");
  EXPECT_FALSE(*written);
  let_be_written("9");
}

TEST_F(WriteProbeTest, AnotherLeaseOfThatNameMayHaveBeenMadeByOthers) {
  let_be_written("7");
  begin();
  refuse(409, "Conflict");
  answer_lease("6", "another");
  answer_lease("8", "another");
  EXPECT_TRUE((*written)->went_back);
  EXPECT_FALSE((*written)->borne_out);
}

TEST_F(WriteProbeTest, LeaseThatIsGoneIsMadeAnewAndMayHaveBeenRemovedByOthers) {
  let_be_written("7");
  begin();
  refuse(404, "NotFound");
  EXPECT_THAT(server.methods, ElementsAre("PUT", "POST"));
  answer_lease("8", "another");
  EXPECT_TRUE((*written)->went_back);
  EXPECT_FALSE((*written)->borne_out);
}

TEST_F(WriteProbeTest, LeaseOfANamespaceThatComesLateTellsOfNothing) {
  begin();
  refuse(404, "NotFound");
  EXPECT_THAT(server.methods, ElementsAre("POST", "POST"));
  answer_lease("8");
  EXPECT_FALSE((*written)->went_back);
}

TEST_F(WriteProbeTest, WriteThatIsForbiddenOrNotAnsweredIsNotTriedAgain) {
  begin();
  refuse(403, "Forbidden");
  ASSERT_TRUE(written);
  EXPECT_EQ(written->error().fault, Fault::Forbidden);
  begin();
  EXPECT_THAT(server.methods, ElementsAre("POST"));
  server.answer(Error{.fault = Fault::Timeout, .path = "POST"});
  EXPECT_FALSE(*written);
  EXPECT_FALSE(server.waits());
  let_be_written("7");
  EXPECT_FALSE((*written)->went_back);
}

}  // namespace
}  // namespace nlc::controller

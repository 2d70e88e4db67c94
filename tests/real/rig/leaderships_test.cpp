#include "leaderships.h"

#include <gmock/gmock.h>

/// The judge of the stories about elections, by audit logs made up for it.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const LockName lock{.space = "kube-system", .name = "lock"};
const WallTime noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1} + 12h};

/// A write of the lock with a lease of 4 s, with `holder`'s own token.
AuditLine writes_lock(Duration at, const std::string& holder, const std::string& sender) {
  return {.user = controller_account,
          .verb = "update",
          .what = "leases",
          .space = lock.space,
          .name = lock.name,
          .code = 200,
          .at = std::chrono::time_point_cast<WallTime::duration>(noon + at),
          .credential = sender,
          .body = {{"spec", {{"holderIdentity", holder}, {"leaseDurationSeconds", 4}}}}};
}

AuditLine writes(Duration at, const std::string& sender, const std::string& what,
                 const std::string& name) {
  return {.user = controller_account,
          .verb = what == "events" ? "create" : "patch",
          .what = what,
          .name = name,
          .code = 200,
          .at = std::chrono::time_point_cast<WallTime::duration>(noon + at),
          .credential = sender};
}

std::vector<AuditLine> outside(const std::vector<AuditLine>& lines) {
  return writes_outside(leaderships_of(lines, lock), controllers_writes(lines, lock));
}

TEST(Leaderships, LastAsLongAsTheLeaseAfterTheLastRenewal) {
  const std::vector<AuditLine> lock_lines = {writes_lock(0s, "a", "a"), writes_lock(2s, "a", "a")};
  const auto with = [&](Duration at) {
    std::vector<AuditLine> lines = lock_lines;
    lines.push_back(writes(at, "a", "nodes", "n"));
    return outside(lines);
  };
  EXPECT_THAT(with(-1us), SizeIs(1));
  EXPECT_THAT(with(0s), IsEmpty());
  EXPECT_THAT(with(6s), IsEmpty());
  EXPECT_THAT(with(6s + 1us), SizeIs(1));
}

TEST(Leaderships, EndWithTheReleaseAndWithTheNextHolder) {
  EXPECT_THAT(outside({writes_lock(0s, "a", "a"), writes_lock(1s, "", "a"),
                       writes(1s + 1us, "a", "pods", "p")}),
              SizeIs(1));
  EXPECT_THAT(outside({writes_lock(0s, "a", "a"), writes_lock(3s, "b", "b"),
                       writes(3s + 1us, "a", "pods", "p"), writes(4s, "b", "pods", "q")}),
              SizeIs(1));
}

TEST(Leaderships, AreUsurpedByWhoTakesALockThatIsNeitherFreeNorRunOut) {
  const auto said = [](const std::vector<AuditLine>& lines) {
    return usurpations(leaderships_of(lines, lock));
  };
  const AuditLine begin = writes_lock(0s, "a", "a");
  EXPECT_EQ(said({begin, writes_lock(4s, "b", "b")}), "");
  EXPECT_THAT(said({begin, writes_lock(4s - 1us, "b", "b")}), HasSubstr("b took the lock of a"));
  EXPECT_EQ(said({begin, writes_lock(1s, "", "a"), writes_lock(2s, "b", "b")}), "");
  EXPECT_EQ(said({begin, writes_lock(2s, "b", "b"), writes_lock(1s, "", "a")}), "")
      << "the release was answered last";
}

}  // namespace
}  // namespace nlc::real

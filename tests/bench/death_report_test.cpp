#include "bench/death_report.h"

#include <fstream>
#include <gmock/gmock.h>
#include <unistd.h>

namespace nlc::bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A report that is being written.
class Report {
 public:
  Report() : file_(testing::TempDir() + "deaths-" + std::to_string(::getpid()) + ".jsonl") {
    std::ofstream(file_, std::ios::trunc).close();
  }
  ~Report() { std::filesystem::remove(file_); }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  void write(const std::string& text) const { std::ofstream(file_, std::ios::app) << text; }
  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
};

const std::string death =
    R"({"node":"a","after_grace_ms":{"unknown":12.5,"no_schedule":null,"pods_not_ready":20}})";

TEST(DeathReport, TellsEachDeathOnce) {
  const Report written;
  DeathReport report(written.file());
  written.write(death + "\n");
  const Deaths deaths = report.take_deaths();
  EXPECT_EQ(deaths.told, 1U);
  EXPECT_THAT(deaths.unknown, ElementsAre(12.5));
  EXPECT_THAT(deaths.no_schedule, IsEmpty());
  EXPECT_THAT(deaths.pods_not_ready, ElementsAre(20));
  EXPECT_EQ(report.take_deaths().told, 0U);
}

TEST(DeathReport, LeavesALineAloneUntilItIsWhole) {
  const Report written;
  DeathReport report(written.file());
  written.write(death.substr(0, 20));
  EXPECT_EQ(report.take_deaths().told, 0U);
  written.write(death.substr(20) + "\n");
  EXPECT_EQ(report.take_deaths().told, 1U);
}

TEST(DeathReport, CountsHealthyNodesThatWereCondemned) {
  const Report written;
  DeathReport report(written.file());
  written.write("{\"condemned_though_healthy\":\"a\"}\n{\"summary\":{}}\n");
  EXPECT_EQ(report.take_condemned(), 1U);
  EXPECT_EQ(report.take_condemned(), 0U);
}

TEST(DeathReport, OfAFileThatIsNotThereYetIsEmpty) {
  DeathReport report("/nonexistent/deaths.jsonl");
  EXPECT_EQ(report.take_deaths().told, 0U);
}

}  // namespace
}  // namespace nlc::bench

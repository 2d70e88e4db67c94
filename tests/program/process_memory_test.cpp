#include "program/process_memory.h"

#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace nlc::program {
namespace {

/// Pages of files that are mapped right now, in KiB.
long resident_of_files() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long size = 0;
    if (word == "RssFile:" && status >> size) return size;
  }
  return -1;
}

TEST(ProcessMemory, PagesOfFilesThatAreNotNeededNowLeaveTheProcess) {
  const long before = resident_of_files();
  ASSERT_GT(before, 0);
  give_back_memory();
  EXPECT_LT(resident_of_files(), before);
}

}  // namespace
}  // namespace nlc::program

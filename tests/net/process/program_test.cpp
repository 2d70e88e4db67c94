#include "net/process/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <sys/stat.h>

#include "net/loop/asio_loop.h"
#include "net/loop/system_clock.h"
#include "net/process/open_files.h"
#include "net/process/text_file.h"
#include "tests/net/few_files.h"
#include "tests/net/temporary_folder.h"

namespace nlc::tests {
namespace {

std::string words_of(const std::function<int()>& program) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(net::run_program("tester", program), 1);
  return testing::internal::GetCapturedStderr();
}

TEST(Program, ExitCodeIsTheProgramsOwn) {
  EXPECT_EQ(net::run_program("tester", [] { return 7; }), 7);
}

TEST(Program, WhatTheSystemDoesNotGiveEndsItWithOneLine) {
  EXPECT_EQ(words_of([]() -> int { throw std::runtime_error("no threads left"); }),
            "tester: no threads left\n");
}

TEST(Program, TooFewFileDescriptorsAreCalledThat) {
  EXPECT_EQ(words_of([]() -> int {
              testing::internal::CaptureStdout();  // what it opens is needed below
              testing::internal::GetCapturedStdout();
              const FewFiles few;
              const net::SystemClock clock;
              try {
                const net::AsioLoop loop(clock);
              } catch (const std::exception& problem) {
                EXPECT_EQ(net::no_file_can_be_opened(), "too many open files (ulimit -n 3)");
                throw;
              }
              return 0;
            }).substr(0, 28),
            "tester: too many open files ");
}

TEST(TextFile, TooManyOpenFilesAreCalledThat) {
  const TemporaryFolder folder;
  const std::string file = folder.write("ca.crt", "x");
  const FewFiles few;
  EXPECT_EQ(net::read_text_file(file).error().path, file + ": too many open files (ulimit -n 3)");
}

TEST(TextFile, LongerThanItsLimitIsRefusedWithoutEnd) {
  const TemporaryFolder folder;
  EXPECT_EQ(net::read_text_file(folder.write("f", "12345"), 5).operator*(), "12345");
  EXPECT_THAT(net::read_text_file(folder.write("f", "123456"), 5).error().path,
              testing::EndsWith("f: it is longer than 5 bytes"));
}

TEST(TextFile, APipeThatNobodyWritesAndADeviceAreRefusedAtOnce) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(net::read_text_file(folder.path("pipe")).error().path,
              testing::EndsWith("pipe: it is no plain file"));
  EXPECT_EQ(net::read_text_file("/dev/zero").error().path, "/dev/zero: it is no plain file");
}

}  // namespace
}  // namespace nlc::tests

#include "net/process/program.h"

#include <boost/system/system_error.hpp>
#include <csignal>
#include <exception>
#include <iostream>

#include "net/process/open_files.h"
#include "runtime/utf8.h"

namespace nlc::net {
namespace {

std::string words_of(const std::exception& problem) {
  if (const auto* failure = dynamic_cast<const boost::system::system_error*>(&problem)) {
    if (const auto exhausted = too_many_open_files(failure->code().value())) return *exhausted;
  }
  if (const auto exhausted = no_file_can_be_opened()) return *exhausted;
  return problem.what();
}

}  // namespace

void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

int run_program(std::string_view name, const std::function<int()>& program) {
  try {
    return program();
  } catch (const std::exception& problem) {
    return fail(name, words_of(problem), 1);
  }
}

int fail(std::string_view name, const std::string& words, int code) {
  // In one piece: the log's thread may be writing to the same pipe.
  std::cerr << std::string(name) + ": " + one_line(words) + "\n" << std::flush;
  return code;
}

}  // namespace nlc::net

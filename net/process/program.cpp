#include "net/process/program.h"

#include <boost/system/system_error.hpp>
#include <csignal>
#include <exception>
#include <iostream>
#include <optional>

#include "net/process/open_files.h"

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

int run_program(const std::string& name, const std::function<int()>& program) {
  try {
    return program();
  } catch (const std::exception& problem) {
    std::cerr << name << ": " << words_of(problem) << std::endl;
    return 1;
  }
}

}  // namespace nlc::net

#pragma once

#include <functional>
#include <string>

namespace nlc::net {

/// Ignores SIGPIPE: writing to a pipe without a reader fails, instead of ending the process, in
/// which case a leader would not release its lease. For programs that run for ever.
void ignore_broken_pipes();

/// Runs a whole program and answers its exit code. What it could not get from the system (file
/// descriptors, memory, threads) ends it with one line on stderr and exit code 1.
int run_program(const std::string& name, const std::function<int()>& program);

}  // namespace nlc::net

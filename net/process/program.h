#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace nlc::net {

/// Ignores SIGPIPE: writing to a pipe without a reader fails, instead of ending the process, in
/// which case a leader would not release its lease. For programs that run for ever.
void ignore_broken_pipes();

/// Runs a whole program and answers its exit code. What it could not get from the system (file
/// descriptors, memory, threads) ends it with one line on stderr and exit code 1.
int run_program(std::string_view name, const std::function<int()>& program);

/// Says on stderr, in one line, why the program `name` ends, and answers `code`.
int fail(std::string_view name, const std::string& words, int code);

}  // namespace nlc::net

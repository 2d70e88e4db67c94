#pragma once

#include <functional>
#include <string>

namespace nlc::net {

/// The reader of a pipe that goes makes a write fail from now on; by default it ends the process,
/// and a leader would not give its lease back. For programs that run for ever.
void outlive_readers();

/// Runs a whole program and answers its exit code. What it could not get from the system (file
/// descriptors, memory, threads) ends it with one line on stderr and exit code 1.
int run_program(const std::string& name, const std::function<int()>& program);

}  // namespace nlc::net

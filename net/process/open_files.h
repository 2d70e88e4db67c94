#pragma once

#include <optional>
#include <string>

namespace nlc::net {

/// "too many open files (ulimit -n 1024)" where that is what the error number of the system says,
/// for the process or for the machine.
std::optional<std::string> too_many_open_files(int error_number);

/// The same, found out by trying to open one more: for libraries that tell of it as of something
/// else (a host that is not reached, a name that is not found). Any thread.
std::optional<std::string> no_file_can_be_opened();

}  // namespace nlc::net

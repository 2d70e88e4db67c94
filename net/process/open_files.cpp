#include "net/process/open_files.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace nlc::net {

std::optional<std::string> too_many_open_files(int error_number) {
  if (error_number == ENFILE) return "too many open files on this machine (fs.file-max)";
  if (error_number != EMFILE) return std::nullopt;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return "too many open files (ulimit -n)";
  return "too many open files (ulimit -n " + std::to_string(limit.rlim_cur) + ")";
}

std::optional<std::string> no_file_can_be_opened() {
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (file < 0) return too_many_open_files(errno);
  close(file);
  return std::nullopt;
}

}  // namespace nlc::net

#include "net/process/text_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "net/process/open_files.h"

namespace nlc::net {
namespace {

/// Opened without waiting for anybody.
struct OpenFile {
  explicit OpenFile(const std::string& file)
      : descriptor(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~OpenFile() {
    if (descriptor >= 0) close(descriptor);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  const int descriptor;
};

}  // namespace

Result<std::string> read_text_file(const std::string& file, std::size_t limit) {
  const auto refused = [&file](const std::string& why) { return bad_input(file + ": " + why); };
  const auto failed = [&refused](int number) {
    return refused(too_many_open_files(number).value_or(std::generic_category().message(number)));
  };
  const OpenFile opened(file);
  struct stat state {};
  if (opened.descriptor < 0 || fstat(opened.descriptor, &state) != 0) return failed(errno);
  if (S_ISDIR(state.st_mode)) return failed(EISDIR);
  if (!S_ISREG(state.st_mode)) return refused("it is no plain file");
  // Not by its size: that of a file in /proc is none.
  std::string text(limit + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(opened.descriptor, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  text.shrink_to_fit();  // some are kept for as long as the process
  if (size > limit) return refused("it is longer than " + std::to_string(limit) + " bytes");
  return text;
}

std::string file_version(const std::string& file) {
  struct stat state {};
  if (file.empty() || stat(file.c_str(), &state) != 0) return {};
  return std::to_string(state.st_ino) + ":" + std::to_string(state.st_size) + ":" +
         std::to_string(state.st_mtim.tv_sec) + "." + std::to_string(state.st_mtim.tv_nsec);
}

}  // namespace nlc::net

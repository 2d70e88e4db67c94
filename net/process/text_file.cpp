#include "net/process/text_file.h"

#include <cerrno>
#include <fstream>
#include <sys/stat.h>
#include <system_error>

#include "net/process/open_files.h"

namespace nlc::net {

Result<std::string> read_text_file(const std::string& file, std::size_t limit) {
  const auto refused = [&file](const std::string& why) {
    return Error{.fault = Fault::Invalid, .path = file + ": " + why};
  };
  const auto failed = [&refused](int number) {
    return refused(too_many_open_files(number).value_or(std::generic_category().message(number)));
  };
  struct stat state {};
  if (stat(file.c_str(), &state) != 0) return failed(errno);
  if (S_ISDIR(state.st_mode)) return failed(EISDIR);
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return failed(errno);
  // Not by its size: that of a device or of /proc is none.
  std::string text(limit + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > limit) return refused("it is longer than " + std::to_string(limit) + " bytes");
  return text;
}

std::string file_version(const std::string& file) {
  struct stat state {};
  if (file.empty() || stat(file.c_str(), &state) != 0) return {};
  return std::to_string(state.st_ino) + ":" + std::to_string(state.st_size) + ":" +
         std::to_string(state.st_mtim.tv_sec) + "." + std::to_string(state.st_mtim.tv_nsec);
}

}  // namespace nlc::net

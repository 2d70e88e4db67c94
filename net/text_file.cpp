#include "net/text_file.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <system_error>

namespace nlc::net {

Result<std::string> read_text_file(const std::string& file) {
  const auto refused = [&file](int number) {
    return Error{.fault = Fault::Invalid,
                 .path = file + ": " + std::generic_category().message(number)};
  };
  struct stat state {};
  if (stat(file.c_str(), &state) != 0) return refused(errno);
  if (S_ISDIR(state.st_mode)) return refused(EISDIR);
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return refused(errno);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

std::string file_version(const std::string& file) {
  struct stat state {};
  if (file.empty() || stat(file.c_str(), &state) != 0) return {};
  return std::to_string(state.st_ino) + ":" + std::to_string(state.st_size) + ":" +
         std::to_string(state.st_mtim.tv_sec) + "." + std::to_string(state.st_mtim.tv_nsec);
}

}  // namespace nlc::net

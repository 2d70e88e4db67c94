#include "net/process/temporary_folder.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdlib.h>
#include <system_error>

#include "net/process/environment.h"

namespace nlc::net {

Result<std::string> make_temporary_folder(std::string_view prefix) {
  const std::string said = process_environment()("TMPDIR");
  const std::string parent = said.empty() ? "/tmp" : said;
  std::string pattern = parent + "/" + std::string(prefix) + "-XXXXXX";
  if (::mkdtemp(pattern.data()) != nullptr) return pattern;
  return bad_input("cannot make a folder in " + parent +
                   ", where temporary files go (TMPDIR): " + std::strerror(errno));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code none;
  if (path_) std::filesystem::remove_all(*path_, none);
}

}  // namespace nlc::net

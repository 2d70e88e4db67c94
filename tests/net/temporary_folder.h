#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "net/process/temporary_folder.h"

namespace nlc::tests {

/// A folder for files of a test, which goes with this value.
class TemporaryFolder {
 public:
  std::string path(const std::string& name) const { return *folder_.path() + "/" + name; }

  /// Replaces the file as a rotating mount does; answers its path.
  std::string write(const std::string& name, const std::string& content) const {
    const std::filesystem::path fresh = path(name + ".new");
    std::filesystem::create_directories(fresh.parent_path());
    std::ofstream(fresh) << content;
    std::filesystem::rename(fresh, path(name));
    return path(name);
  }

 private:
  net::TemporaryFolder folder_{"nlc-test"};
};

}  // namespace nlc::tests

#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace nlc::tests {

/// A folder that goes with this value.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "nlc-test-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr)
      throw std::runtime_error("no temporary folder: " + pattern);
    folder_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return folder_ / name; }

  /// Replaces the file as a rotating mount does; answers its path.
  std::string write(const std::string& name, const std::string& content) const {
    const std::filesystem::path fresh = folder_ / (name + ".new");
    std::filesystem::create_directories(fresh.parent_path());
    std::ofstream(fresh) << content;
    std::filesystem::rename(fresh, folder_ / name);
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace nlc::tests

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "process.h"

namespace nlc::real {

/// One of the programs in $KUBEBUILDER_ASSETS; throws when that is not set or lacks it.
std::filesystem::path asset(const std::string& name);

/// A new folder under the system's temporary one; throws when none can be made.
std::filesystem::path new_folder();

struct KubectlAnswer {
  int exit_code = 0;
  std::string output;
  std::string errors;
};

/// The kubectl of $KUBEBUILDER_ASSETS, which keeps its files, and what it learned of a server, in
/// one folder.
class KubectlProgram {
 public:
  explicit KubectlProgram(std::filesystem::path folder);

  /// Runs it to its end, for a minute at most; `input` is what it reads for `-f -`.
  KubectlAnswer run(const std::filesystem::path& kubeconfig, std::vector<std::string> arguments,
                    const std::string& input = "");

  /// Starts it, for what does not end by itself: `get -w`.
  Process start(const std::filesystem::path& kubeconfig, std::vector<std::string> arguments);

 private:
  std::filesystem::path next_stem();
  std::vector<std::string> words(const std::filesystem::path& kubeconfig,
                                 const std::vector<std::string>& arguments) const;

  std::filesystem::path folder_;
  int calls_ = 0;
};

}  // namespace nlc::real

#include "sim/scenario/reading/file_text.h"

#include <filesystem>
#include <fstream>

namespace nlc::sim::scenario {
namespace {

constexpr std::size_t mebibytes_max = 16;

}  // namespace

Result<std::string> text_of_file(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) {
    return Error{.fault = Fault::Malformed, .path = path + ": is a folder, a file expected"};
  }
  std::ifstream file(path);
  if (!file) return Error{.fault = Fault::NotFound, .path = path + ": cannot be opened"};
  constexpr std::size_t size = (mebibytes_max << 20U) + 1;
  // Not a string of that size: clearing it takes longer than to play a short case.
  const auto bytes = std::make_unique_for_overwrite<char[]>(size);
  file.read(bytes.get(), static_cast<std::streamsize>(size));
  const auto length = static_cast<std::size_t>(file.gcount());
  if (length == size) {
    return Error{.fault = Fault::Malformed,
                 .path = path + ": more than " + std::to_string(mebibytes_max) +
                         " MiB found, a file of less expected"};
  }
  return std::string(bytes.get(), length);
}

}  // namespace nlc::sim::scenario

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
  std::string text((mebibytes_max << 20U) + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  const auto length = static_cast<std::size_t>(file.gcount());
  if (length == text.size()) {
    return Error{.fault = Fault::Malformed,
                 .path = path + ": more than " + std::to_string(mebibytes_max) +
                         " MiB found, a file of less expected"};
  }
  text.resize(length);
  return text;
}

}  // namespace nlc::sim::scenario

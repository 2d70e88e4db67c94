#pragma once

#include <filesystem>
#include <string>

/// What a number was measured with. Words for people; "unknown" where it is not told.
namespace nlc::bench {

std::string processor_name();
std::string memory_size();
std::string kernel_name();
std::string load_average();

/// The first line that a program prints for --version.
std::string version_of(const std::filesystem::path& program);

}  // namespace nlc::bench

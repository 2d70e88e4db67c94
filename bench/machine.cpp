#include "bench/machine.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sys/utsname.h>
#include <unistd.h>

namespace nlc::bench {
namespace {

const std::string unknown = "unknown";

}  // namespace

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return unknown;
}

std::string memory_size() {
  const auto bytes = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                     static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  return std::to_string(static_cast<int>(bytes / (1 << 30))) + " GiB";
}

std::string kernel_name() {
  utsname name{};
  if (::uname(&name) != 0) return unknown;
  return std::string(name.sysname) + " " + name.release;
}

std::string load_average() {
  std::array<double, 1> load{};
  if (::getloadavg(load.data(), 1) != 1) return unknown;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", load[0]);
  return text.data();
}

std::string version_of(const std::filesystem::path& program) {
  const std::string command = "'" + program.string() + "' --version 2>&1";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  std::array<char, 256> line{};
  if (!pipe || std::fgets(line.data(), static_cast<int>(line.size()), pipe.get()) == nullptr) {
    return unknown;
  }
  const std::string text = line.data();
  return text.substr(0, text.find('\n'));
}

}  // namespace nlc::bench

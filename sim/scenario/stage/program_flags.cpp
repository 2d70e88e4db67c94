#include "sim/scenario/stage/program_flags.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace nlc::sim::scenario {
namespace {

constexpr std::array<std::string_view, 12> idle{
    "kubeconfig",   "context",       "metrics-bind-address", "status-bind-address", "secure-port",
    "bind-address", "tls-cert-file", "tls-private-key-file", "logging-format",      "v",
    "help",         "version"};

}  // namespace

void set_flag(std::vector<std::pair<std::string, std::string>>& flags, const std::string& name,
              const std::string& value) {
  const auto found = std::ranges::find(flags, name, &std::pair<std::string, std::string>::first);
  if (found == flags.end()) {
    flags.emplace_back(name, value);
  } else {
    found->second = value;
  }
}

program::CommandLine read_program_flags(
    const std::vector<std::pair<std::string, std::string>>& flags) {
  std::vector<std::string> arguments;
  for (const auto& [name, value] : flags) {
    if (std::ranges::find(idle, name) != idle.end()) {
      return {.exit_code = 2, .text = "--" + name + " changes nothing in virtual time\n"};
    }
    arguments.push_back("--" + name + "=" + value);
  }
  return program::read_command_line(arguments);
}

}  // namespace nlc::sim::scenario

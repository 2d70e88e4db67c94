#include <charconv>

#include "controller/flags.h"
#include "sim/scenario/unit_answers.h"
#include "sim/scenario/unit_words.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

constexpr std::string_view program_name = "node-lifecycle-controller: ";

/// The command line that an input stands for: its `argv`, or each of its keys as a flag.
std::vector<std::string> arguments_of(const Json& input) {
  if (input.is_null()) return {};
  if (!input.is_object()) throw Unanswerable{"the input is no map: " + input.dump()};
  std::vector<std::string> arguments;
  for (const auto& [key, value] : input.items()) {
    if (key == "argv") {
      for (const Json& each : value) arguments.push_back(text_of(each));
    } else if (key != "note") {
      arguments.push_back("--" + key + "=" + text_of(value));
    }
  }
  return arguments;
}

/// "  --node-monitor-period DURATION [5s]": the default that the help shows of a flag.
std::optional<std::string> default_of(const std::string& help, const std::string& flag) {
  std::size_t at = 0;
  do {
    at = help.find("--" + flag, at);
    if (at == std::string::npos) return std::nullopt;
    at += flag.size() + 2;
  } while (help.compare(at, 1, " ") != 0 && help.compare(at, 1, "\n") != 0);
  const std::size_t next = help.find("\n  -", at);
  const std::size_t open = help.find('[', at);
  const std::size_t close = help.find(']', at);
  if (open == std::string::npos || close == std::string::npos || open > next) return std::nullopt;
  return help.substr(open + 1, close - open - 1);
}

std::string given_value(const std::vector<std::string>& arguments, const std::string& flag) {
  const std::string begin = "--" + flag + "=";
  std::string value;
  for (const std::string& argument : arguments) {
    if (argument.starts_with(begin)) value = argument.substr(begin.size());
  }
  return value;
}

/// Of the flags that the case asks for, those we have.
Json values_of(const std::vector<std::string>& arguments, const Json& wanted) {
  const std::string help = controller::read_command_line({"--help"}).text;
  Json values = Json::object();
  for (const auto& [flag, value] : wanted.items()) {
    const std::optional<std::string> by_default = default_of(help, flag);
    if (!by_default) continue;
    const std::string given = given_value(arguments, flag);
    values[flag] = given.empty() ? *by_default : given;
  }
  return values;
}

}  // namespace

Json flags_answer(const UnitCase& unit) {
  const std::vector<std::string> arguments = arguments_of(unit.input);
  const controller::CommandLine read = controller::read_command_line(arguments);
  if (!read.flags) {
    if (unit.input.contains("argv")) {
      return "process exits with " + std::string(read.exit_code == 2 ? "a usage error" : "0");
    }
    return "refused: " + trimmed(read.text.substr(program_name.size()));
  }
  return unit.output.is_object() ? values_of(arguments, unit.output) : Json("accepted");
}

}  // namespace nlc::sim::scenario

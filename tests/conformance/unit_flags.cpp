#include "program/flags.h"
#include "tests/conformance/unit_answers.h"
#include "tests/conformance/unit_words.h"

namespace nlc::conformance {
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

/// The rest of the line in which the help tells of a flag; empty where it does not.
std::string help_of(const std::string& help, const std::string& flag) {
  const std::string name = "  --" + flag + " ";
  const std::size_t at = help.find(name);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size();
  return help.substr(begin, help.find('\n', begin) - begin);
}

/// The help shows it as "DURATION=5s", and of switches as "[true]".
std::optional<std::string> default_of(const std::string& help, const std::string& flag) {
  const std::string line = help_of(help, flag);
  const std::string word = line.substr(0, line.find(' '));
  const std::size_t equals = word.find('=');
  if (equals != std::string::npos) return word.substr(equals + 1);
  const std::size_t open = line.rfind('[');
  const std::size_t close = line.rfind(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  return line.substr(open + 1, close - open - 1);
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
  const std::string help = program::read_command_line({"--help"}).text;
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
  const program::CommandLine read = program::read_command_line(arguments);
  if (!read.flags) {
    if (unit.input.contains("argv")) {
      return "process exits with " + std::string(read.exit_code == 2 ? "a usage error" : "0");
    }
    const std::size_t hint = read.text.find_first_of('\n');
    return "refused: " + read.text.substr(program_name.size(), hint - program_name.size());
  }
  return unit.output.is_object() ? values_of(arguments, unit.output) : Json("accepted");
}

}  // namespace nlc::conformance

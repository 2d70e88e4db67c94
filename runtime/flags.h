#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/time.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// The command lines of all programs, on CLI11: a library of its own, nlc::flags.
namespace nlc {

/// What the operator got wrong. Thrown while a command line is read and caught there: the line is
/// all that the operator is told.
struct BadFlag {
  std::string line;
};

[[noreturn]] void refuse_flag(std::string_view flag, const std::string& value,
                              std::string_view allowed);

/// Flags, or the words to print and the code to exit with: 0 after `--help` and `--version`, 2 for
/// a mistake, which is told in one line that names the flag, its value and what is allowed.
template <typename Flags>
struct CommandLine {
  std::optional<Flags> flags;
  int exit_code = 0;
  std::string text;
};

struct NumberRange {
  std::uint32_t low = 0;
  std::uint32_t high = std::numeric_limits<int>::max();  ///< as it is, it is not told of
};
std::uint32_t whole_number(std::string_view flag, const std::string& text, NumberRange range);

/// Refuses what is no name of an object of Kubernetes: lower-case letters, digits, "-" and, unless
/// it is a label as a namespace's name is, ".".
enum class DnsName { Subdomain, Label };
void check_name(std::string_view flag, const std::string& text, DnsName kind);

/// At most ten years, so that sums of several still fit the clock.
Duration duration_of_at_least(Duration least, std::string_view flag, const std::string& text);

/// Adds flags to one group of the help text, each with its rule. The default shown is the target's
/// present value; targets outlive the reading.
class FlagGroup {
 public:
  explicit FlagGroup(CLI::App& app, std::string name = "Options")
      : app_(app), name_(std::move(name)) {}

  /// Above 0, unless `least` says otherwise.
  void duration(const std::string& flag, Duration& target, const std::string& help,
                Duration least = Duration{1});
  /// Any number from 0 on; `zero` says what 0 means.
  void rate(const std::string& flag, double& target, const std::string& help,
            const std::string& zero);
  /// Any number; 0 is no limit, and less is 0.
  void limit(const std::string& flag, double& target, const std::string& help);
  /// From 0 to 1.
  void share(const std::string& flag, double& target, const std::string& help);
  void text(const std::string& flag, std::string& target, const std::string& type,
            const std::string& help);
  /// true or false, as Go spells them; true when no value is given.
  void toggle(const std::string& flag, bool& target, const std::string& help);

  template <typename Number>
  void number(const std::string& flag, Number& target, const std::string& help,
              NumberRange range = {}, const std::string& type = "N") {
    value(flag, type, std::to_string(target), help,
          [flag, range, &target](const std::string& text) {
            target = static_cast<Number>(whole_number(flag, text, range));
          });
  }

  using Take = std::function<void(const std::string& given)>;
  /// One of `words`, of which the first is the default.
  void one_of(const std::string& flag, const std::string& type,
              const std::vector<std::string>& words, const std::string& help, const Take& take);
  /// Anything; `take` refuses what cannot be. It is called for each time the flag is given, in
  /// order, so that the last one wins, or they add up where the flag is a list.
  void value(const std::string& flag, const std::string& type, const std::string& shown_default,
             const std::string& help, const Take& take);

 private:
  CLI::App& app_;
  const std::string name_;
};

/// Why a program ends before it begins.
struct CommandEnd {
  int exit_code = 0;
  std::string text;
};
/// Reads the words behind the program's name as pflag would: a flag given twice has its last value,
/// each of them has to be good, `-v=2` is `-v 2`, `--flag=` gives an empty value, and `--a_flag` is
/// `--a-flag`. A word that begins with "-/" is a name and no flag. Then looks with `check` at what
/// no single flag can see. Nothing when all is well.
std::optional<CommandEnd> read_arguments(CLI::App& app, const std::vector<std::string>& arguments,
                                         const std::function<void()>& check = nullptr);

template <typename Flags>
CommandLine<Flags> command_line(const Flags& flags, const std::optional<CommandEnd>& end) {
  if (end) return {.exit_code = end->exit_code, .text = end->text};
  return {.flags = flags, .exit_code = 0};
}

/// Help to stdout, mistakes to stderr; answers the exit code. It is not 0 when stdout does not take
/// the help, which is said on stderr as `program`'s complaint.
int tell_end(std::string_view program, const CommandEnd& end);

}  // namespace nlc

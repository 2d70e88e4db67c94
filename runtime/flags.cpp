#include "runtime/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iostream>

#include "runtime/dns_name.h"
#include "runtime/go_bool.h"
#include "runtime/go_duration.h"
#include "runtime/parse_number.h"
#include "runtime/utf8.h"
#include "runtime/words.h"

namespace nlc {
namespace {

constexpr Duration longest = std::chrono::hours(87'600);

std::string shown(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  (void)error;  // 32 characters hold the shortest form of any double
  return {text.data(), end};
}

constexpr double largest = std::numeric_limits<double>::max();

double number_between(double least, double most, std::string_view flag, const std::string& text,
                      std::string_view allowed) {
  const auto value = parse_number<double>(text);
  if (!value || !std::isfinite(*value) || *value < least || *value > most) {
    refuse_flag(flag, text, allowed);
  }
  return *value;
}

/// As pflag does: the last value of a flag wins. Options that take many values keep them all.
void let_the_last_win(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const bool single = option->get_items_expected_max() == 1;
    if (single && !option->get_positional()) option->take_last();
  }
  for (CLI::App* command : app.get_subcommands({})) let_the_last_win(*command);
}

constexpr std::string_view true_or_false = "must be true or false";

/// Of the program's own flag of that name, or those of its commands.
template <typename Property>
bool is_flag(const CLI::App& app, const std::string& name, Property property) {
  if (const CLI::Option* option = app.get_option_no_throw(name)) return property(*option);
  const std::vector<const CLI::App*> commands =
      app.get_subcommands([](const CLI::App*) { return true; });
  return std::ranges::any_of(
      commands, [&](const CLI::App* command) { return is_flag(*command, name, property); });
}

bool takes_one_value(const CLI::App& app, const std::string& name) {
  return is_flag(app, name, [](const CLI::Option& option) {
    return option.get_expected_min() == 1 && option.get_items_expected_max() == 1;
  });
}

bool is_toggle(const CLI::App& app, const std::string& name) {
  return is_flag(app, name,
                 [](const CLI::Option& option) { return option.get_items_expected_max() == 0; });
}

/// As pflag reads a word in the components of Kubernetes: "_" in a flag's name stands for "-", and
/// "--flag=" gives it an empty value, which CLI11 takes for one that is missing, or for true.
void add_words(const CLI::App& app, const std::string& argument, std::vector<std::string>& words) {
  const std::size_t name_end = std::min(argument.find('='), argument.size());
  std::string name = argument.substr(0, name_end);
  std::ranges::replace(name, '_', '-');
  const bool empty_value = name_end + 1 == argument.size();
  if (empty_value && is_toggle(app, name)) refuse_flag(name, "", true_or_false);
  const bool second_word = empty_value && takes_one_value(app, name);
  words.push_back(second_word ? name : name + argument.substr(name_end));
  if (second_word) words.emplace_back();
}

/// "-/zone-a", a zone without a region: no flag is called so, and CLI11 takes it for one.
bool only_looks_like_a_flag(const CLI::App& app, const std::string& argument,
                            const std::vector<std::string>& before) {
  const bool is_value =
      !before.empty() && before.back().starts_with('-') && takes_one_value(app, before.back());
  return argument.starts_with("-/") && !is_value;
}

std::vector<std::string> as_pflag_reads(const CLI::App& app,
                                        const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  std::vector<std::string> names;  // that stand behind all flags, where nothing is one
  const auto flags_end = std::ranges::find(arguments, "--");
  for (auto argument = arguments.begin(); argument != flags_end; ++argument) {
    if (argument->starts_with("--")) {
      add_words(app, *argument, words);
    } else if (only_looks_like_a_flag(app, *argument, words)) {
      names.push_back(*argument);
    } else {
      words.push_back(*argument);
    }
  }
  if (flags_end != arguments.end()) names.insert(names.end(), flags_end + 1, arguments.end());
  if (flags_end != arguments.end() || !names.empty()) words.emplace_back("--");
  words.insert(words.end(), names.begin(), names.end());
  return words;
}

CommandEnd mistake(const CLI::App& app, const std::string& words) {
  return {.exit_code = 2, .text = app.get_name() + ": " + one_line(words) + "\n"};
}

}  // namespace

void refuse_flag(std::string_view flag, const std::string& value, std::string_view allowed) {
  throw BadFlag{"invalid value \"" + shortened(value, 256) + "\" for " + std::string(flag) + ": " +
                std::string(allowed)};
}

std::uint32_t whole_number(std::string_view flag, const std::string& text, NumberRange range) {
  const auto value = parse_number<std::uint32_t>(text);
  if (value && *value >= range.low && *value <= range.high) return *value;
  const std::string low = std::to_string(range.low);
  refuse_flag(flag, text,
              "must be a whole number" +
                  (range.high == NumberRange{}.high
                       ? ", " + low + " or greater, at most " + std::to_string(range.high)
                       : " from " + low + " to " + std::to_string(range.high)));
}

Duration duration_of_at_least(Duration least, std::string_view flag, const std::string& text) {
  const std::optional<Duration> value = parse_go_duration(text);
  if (!value || *value < least) {
    refuse_flag(
        flag, text,
        least == Duration{1}
            ? "must be a duration greater than 0 and at most 87600h, such as 40s, 1m30s or 500ms"
            : "must be a duration such as 30s or 1m30s, at least " + go_duration(least));
  }
  if (*value > longest) refuse_flag(flag, text, "must be at most 87600h, ten years");
  return *value;
}

void check_name(std::string_view flag, const std::string& text, DnsName kind) {
  const std::size_t most = kind == DnsName::Label ? 63 : 253;
  if (text.empty()) refuse_flag(flag, text, "must not be empty");
  const bool good =
      text.size() <= most && (kind == DnsName::Label ? is_dns_label(text) : is_dns_subdomain(text));
  if (good) return;
  refuse_flag(flag, text,
              std::string("must be lower-case letters, digits") +
                  (kind == DnsName::Label ? " and \"-\"" : ", \"-\" and \".\"") + ", " +
                  std::to_string(most) + " at most, beginning and ending with a letter or digit");
}

void FlagGroup::duration(const std::string& flag, Duration& target, const std::string& help,
                         Duration least) {
  value(flag, "DURATION", go_duration(target), help,
        [flag, least, &target](const std::string& text) {
          target = duration_of_at_least(least, flag, text);
        });
}

void FlagGroup::rate(const std::string& flag, double& target, const std::string& help,
                     const std::string& zero) {
  const std::string allowed = "must be a finite number, 0 or greater (0 = " + zero + ")";
  value(flag, "RATE", shown(target), help, [flag, allowed, &target](const std::string& text) {
    target = number_between(0, largest, flag, text, allowed);
  });
}

void FlagGroup::limit(const std::string& flag, double& target, const std::string& help) {
  value(flag, "RATE", shown(target), help, [flag, &target](const std::string& text) {
    constexpr const char* allowed = "must be a finite number (0 or less = no limit)";
    target = std::max(number_between(-largest, largest, flag, text, allowed), 0.0);
  });
}

void FlagGroup::share(const std::string& flag, double& target, const std::string& help) {
  value(flag, "SHARE", shown(target), help, [flag, &target](const std::string& text) {
    target = number_between(0, 1, flag, text, "must be a number from 0 to 1");
  });
}

void FlagGroup::text(const std::string& flag, std::string& target, const std::string& type,
                     const std::string& help) {
  value(flag, type, target, help, [&target](const std::string& given) { target = given; });
}

void FlagGroup::toggle(const std::string& flag, bool& target, const std::string& help) {
  CLI::Option* option = app_.add_flag_function(
      flag, [](std::int64_t) {}, help + (target ? " [true]" : " [false]"));
  option->group(name_)->each([flag, &target](const std::string& given) {
    const std::optional<bool> value = parse_go_bool(given);
    if (!value) refuse_flag(flag, given, true_or_false);
    target = *value;
  });
}

void FlagGroup::one_of(const std::string& flag, const std::string& type,
                       const std::vector<std::string>& words, const std::string& help,
                       const Take& take) {
  value(flag, type, words.front(), help, [flag, words, take](const std::string& given) {
    const bool known = std::ranges::find(words, given) != words.end();
    if (!known) refuse_flag(flag, given, "must be " + alternatives(words));
    take(given);
  });
}

void FlagGroup::value(const std::string& flag, const std::string& type,
                      const std::string& shown_default, const std::string& help, const Take& take) {
  CLI::Option* option = app_.add_option_function<std::string>(
      flag, [](const std::string&) {}, help);
  // Short ones as pflag's users write them: -v=2.
  const bool is_short = !option->get_snames().empty();
  option->group(name_)->type_name(type)->default_str(shown_default);
  option->each([is_short, take](const std::string& given) {
    take(is_short && given.starts_with('=') ? given.substr(1) : given);
  });
}

std::optional<CommandEnd> read_arguments(CLI::App& app, const std::vector<std::string>& arguments,
                                         const std::function<void()>& check) {
  try {
    let_the_last_win(app);
    std::vector<std::string> words = as_pflag_reads(app, arguments);
    std::ranges::reverse(words);  // CLI11 takes them from the back
    app.parse(std::move(words));
    if (check) check();
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    return CommandEnd{.exit_code = 0, .text = app.help()};
  } catch (const CLI::CallForVersion&) {
    return CommandEnd{.exit_code = 0, .text = app.version() + "\n"};
  } catch (const CLI::ParseError& problem) {
    return mistake(app, problem.what() + std::string(" (see --help)"));
  } catch (const BadFlag& bad) {
    return mistake(app, bad.line);
  }
}

int tell_end(std::string_view program, const CommandEnd& end) {
  std::ostream& stream = end.exit_code == 0 ? std::cout : std::cerr;
  errno = 0;
  stream << end.text << std::flush;
  if (stream) return end.exit_code;
  const int why = errno;
  std::cerr << std::string(program) + ": cannot write to stdout: " + std::strerror(why) + "\n"
            << std::flush;
  return std::max(end.exit_code, 1);
}

}  // namespace nlc

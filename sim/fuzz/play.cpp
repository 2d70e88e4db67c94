#include "sim/fuzz/play.h"

#include <absl/strings/str_split.h>
#include <algorithm>
#include <cctype>

#include "sim/fuzz/hash.h"
#include "sim/scenario/run.h"

namespace nlc::sim::fuzz {
namespace {

/// Of how a day went and of what it left behind: two courses to the same end are told apart by what
/// the replicas said, and when.
std::uint64_t hash_of(const scenario::Ending& ending) {
  Hash hash;
  hash.add(ending.state.dump() + " " + std::to_string(ending.writes));
  for (const scenario::LogLine& line : ending.log) {
    hash.add(std::to_string(line.at.count()) + " " + line.replica + " " + line.text);
  }
  return hash.number();
}

/// "node node-3 lacks unreachable:NoSchedule (and 2 more)" is "node lacks unreachable:NoSchedule".
std::string without_names(std::string text) {
  text = text.substr(0, text.find(" (and "));
  std::string words;
  for (const std::string& word : std::vector<std::string>(absl::StrSplit(text, ' '))) {
    const bool name = word.find_first_of("0123456789") != word.npos;
    if (!name) words += (words.empty() ? "" : " ") + word;
  }
  return words;
}

/// A day that is no day: what fails is not what the controller did.
constexpr const char* unreadable = "unreadable";

/// The rule that a failure tells of.
std::string rule_in(const std::string& seen) {
  constexpr std::string_view mark = "rule \"";
  if (const std::size_t begin = seen.find(mark); begin != std::string::npos) {
    const std::size_t name = begin + mark.size();
    return seen.substr(name, seen.find('"', name) - name);
  }
  const std::size_t settled = seen.find("settled: ");
  return settled == std::string::npos ? unreadable
                                      : "settled: " + without_names(seen.substr(settled + 9));
}

bool is_of_the_end(const std::string& rule) { return rule.starts_with("settled: "); }

}  // namespace

DayResult play(const Day& day, const std::function<void(std::string_view)>& trace) {
  const std::string text = scenario_text(day);
  const Result<scenario::ScenarioFile> file = scenario::read_scenario_text(text, "day");
  if (!file) return {.rule = unreadable, .what = file.error().path};
  const scenario::Scenario& only = file->cases.front();
  if (!only.problems.empty()) return {.rule = unreadable, .what = only.problems.front().seen};
  scenario::RunOptions options{.keep_log = true};
  if (trace) options.trace = trace;
  scenario::Ending ending;
  const scenario::Outcome outcome = scenario::run_scenario(only, options, &ending);
  DayResult result{.rule = {}, .what = {}};
  result.hash = hash_of(ending);
  result.marks = marks_of(day, ending.log);
  if (!outcome.failures.empty()) {
    result.what = outcome.failures.front().seen;
    result.rule = rule_in(result.what);
  }
  return result;
}

namespace {

/// Lines by the minutes of their days: a day of two hundred nodes has a thousand lines, lasts a
/// quarter of an hour and takes a third of a second. One under a tight limit lasts for hours.
constexpr std::int64_t most_played = 4'000'000;
/// So close to the moment at which its rule is broken a day ends; and so much later while its lines
/// are cut, for without some of them that comes later.
constexpr Duration end_found_within = std::chrono::seconds(5);
constexpr Duration may_come_later = std::chrono::minutes(2);

/// Lines of a day, wherever they stand, by one number.
class Lines {
 public:
  explicit Lines(const Day& day) : day_(day) {}
  std::size_t count() const { return day_.flags.size() + day_.given.size() + day_.timeline.size(); }
  Day without(std::size_t begin, std::size_t end) const {
    Day rest = day_;
    std::size_t first = 0;
    for (std::vector<Line>* part : {&rest.timeline, &rest.given, &rest.flags}) {
      const std::size_t last = first + part->size();
      const std::size_t from = std::clamp(begin, first, last) - first;
      const std::size_t until = std::clamp(end, first, last) - first;
      part->erase(part->begin() + static_cast<std::ptrdiff_t>(from),
                  part->begin() + static_cast<std::ptrdiff_t>(until));
      first = last;
    }
    return rest;
  }

 private:
  const Day& day_;
};

/// Whether it stands there, and not as a part of another name.
bool mentions(const Line& line, const std::string& name) {
  const auto in_a_name = [](const std::string& text, std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '-');
  };
  return std::ranges::any_of(line.texts, [&](const std::string& text) {
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
      const bool begins = at == 0 || !in_a_name(text, at - 1);
      if (begins && !in_a_name(text, at + name.size())) return true;
    }
    return false;
  });
}

std::vector<std::string> node_names(const Day& day) {
  constexpr std::string_view mark = "kind: Node, metadata: {name: ";
  std::vector<std::string> names;
  for (const Line& line : day.given) {
    const std::size_t at = line.texts.front().find(mark);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + mark.size();
    names.push_back(
        line.texts.front().substr(begin, line.texts.front().find_first_of(",}", begin) - begin));
  }
  return names;
}

/// Without some nodes and all that names them: their lines make no sense one by one.
Day without_nodes(Day day, std::size_t begin, std::size_t end) {
  const std::vector<std::string> names = node_names(day);
  for (std::size_t i = begin; i < std::min(end, names.size()); ++i) {
    for (std::vector<Line>* part : {&day.timeline, &day.given}) {
      std::erase_if(*part, [&](const Line& line) { return mentions(line, names[i]); });
    }
  }
  return day;
}

/// Where nobody controls, everything is as it should not be.
bool has_controller(const Day& day) {
  return std::ranges::any_of(day.timeline,
                             [](const Line& line) { return mentions(line, "start: controller"); });
}

std::int64_t cost_of(const Day& day) {
  return static_cast<std::int64_t>(Lines(day).count()) * (1 + day.ends / std::chrono::minutes(1));
}

/// Ended as soon after its rule was broken as `still` finds.
Day cut_short(Day day, const std::function<bool(const Day&)>& still) {
  Duration unbroken{0};
  while (day.ends - unbroken > end_found_within) {
    Day shorter = day;
    shorter.ends = unbroken + (day.ends - unbroken) / 2;
    shorter.trouble_ends = std::min(day.trouble_ends, shorter.ends);
    shorter.settles = false;
    if (still(shorter)) {
      day = std::move(shorter);
    } else {
      unbroken = shorter.ends;
    }
  }
  return day;
}

}  // namespace

Day shrunk(Day day, const Judge& judge, const std::function<void(std::size_t)>& told) {
  const std::string rule = judge(day);
  if (rule.empty() || rule == unreadable) return day;
  const bool controlled = has_controller(day);
  std::int64_t played = 0;
  const auto still = [&](const Day& smaller) {
    if (has_controller(smaller) != controlled || played >= most_played) return false;
    played += cost_of(smaller);
    return judge(smaller) == rule;
  };
  if (!is_of_the_end(rule)) {
    const Duration whole = day.ends;
    day = cut_short(std::move(day), still);
    day.ends = std::min(whole, day.ends + may_come_later);
  }
  const auto cut = [&](const auto& count, const auto& without) {
    std::size_t piece = (count(day) + 1) / 2;
    while (piece > 0) {
      bool shorter = false;
      for (std::size_t begin = 0; begin < count(day);) {
        Day smaller = without(day, begin, begin + piece);
        if (still(smaller)) {
          day = std::move(smaller);
          shorter = true;
          if (told) told(Lines(day).count());
        } else {
          begin += piece;
        }
      }
      if (!shorter || piece > 1) piece /= 2;
    }
  };
  cut([](const Day& whole) { return node_names(whole).size(); }, without_nodes);
  cut([](const Day& whole) { return Lines(whole).count(); },
      [](const Day& whole, std::size_t begin, std::size_t end) {
        return Lines(whole).without(begin, end);
      });
  if (!day.settles) day = cut_short(std::move(day), still);
  return day;
}

}  // namespace nlc::sim::fuzz

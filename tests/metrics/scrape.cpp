#include "scrape.h"

#include <regex>
#include <sstream>

namespace nlc::metrics {
namespace {

const char* const metric_name = "[a-zA-Z_:][a-zA-Z0-9_:]*";

/// Undoes the three escapes that a label value may hold.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      plain += text[i];
    } else {
      ++i;
      plain += text[i] == 'n' ? '\n' : text[i];
    }
  }
  return plain;
}

std::map<std::string, std::string> read_labels(const std::string& text) {
  static const std::regex pair(R"re(([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)",?)re");
  std::map<std::string, std::string> labels;
  for (std::sregex_iterator found(text.begin(), text.end(), pair), end; found != end; ++found) {
    labels[(*found)[1]] = unescaped((*found)[2]);
  }
  return labels;
}

bool read_comment(const std::string& line, Scrape& scrape) {
  static const std::regex help(std::string("# HELP (") + metric_name + ") (.*)");
  static const std::regex type(std::string("# TYPE (") + metric_name +
                               ") (counter|gauge|histogram)");
  std::smatch match;
  if (std::regex_match(line, match, help)) return scrape.helps.emplace(match[1], match[2]).second;
  if (std::regex_match(line, match, type)) return scrape.types.emplace(match[1], match[2]).second;
  return false;
}

bool read_sample(const std::string& line, Scrape& scrape) {
  static const std::regex sample(
      std::string("(") + metric_name +
      R"re()(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? )re"
      R"re((\+Inf|-Inf|NaN|[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?))re");
  std::smatch match;
  if (!std::regex_match(line, match, sample)) return false;
  scrape.samples.push_back(
      {.name = match[1], .labels = read_labels(match[2]), .value = std::stod(match[3])});
  return true;
}

}  // namespace

std::optional<double> Scrape::value(const std::string& name,
                                    const std::map<std::string, std::string>& labels) const {
  for (const Sample& sample : samples) {
    if (sample.name == name && sample.labels == labels) return sample.value;
  }
  return std::nullopt;
}

std::vector<std::string> Scrape::label_values(const std::string& name,
                                              const std::string& label) const {
  std::vector<std::string> values;
  for (const Sample& sample : samples) {
    if (sample.name == name) values.push_back(sample.labels.at(label));
  }
  return values;
}

Scrape read_exposition(const std::string& text) {
  Scrape scrape;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool good =
        line.starts_with("#") ? read_comment(line, scrape) : read_sample(line, scrape);
    if (!good) scrape.bad_lines.push_back(line);
  }
  return scrape;
}

}  // namespace nlc::metrics

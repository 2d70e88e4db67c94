#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

/// Reads an exposition as a Prometheus server would, by the grammar of the text format 0.0.4.
namespace nlc::metrics {

struct Sample {
  std::string name;
  std::map<std::string, std::string> labels;
  double value = 0;
};

struct Scrape {
  std::map<std::string, std::string> types;  ///< family → counter, gauge, histogram
  std::map<std::string, std::string> helps;
  std::vector<Sample> samples;
  std::vector<std::string> bad_lines;  ///< what a server would refuse

  /// The value of the series with exactly these labels.
  std::optional<double> value(const std::string& name,
                              const std::map<std::string, std::string>& labels = {}) const;
  /// The values that a label takes in a family, in the order of the text.
  std::vector<std::string> label_values(const std::string& name, const std::string& label) const;
};

Scrape read_exposition(const std::string& text);

}  // namespace nlc::metrics

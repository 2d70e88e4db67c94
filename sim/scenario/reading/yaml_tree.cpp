#include "sim/scenario/reading/yaml_tree.h"

#include <map>
#include <string>

#include "sim/scenario/reading/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

constexpr int most_levels = 64;
constexpr int most_values = 1'000'000;

class Walk {
 public:
  void visit(const YAML::Node& node, int level) {
    if (level > most_levels) {
      throw Malformed{line_of(node), "nesting deeper than " + std::to_string(most_levels) +
                                         " levels found, perhaps an alias to itself; fewer "
                                         "expected"};
    }
    if (++values_ > most_values) {
      throw Malformed{line_of(node), "more than " + std::to_string(most_values) +
                                         " values found, perhaps by aliases of aliases; fewer "
                                         "expected"};
    }
    if (node.IsMap()) visit_map(node, level);
    if (!node.IsSequence()) return;
    for (const YAML::Node& element : node) visit(element, level + 1);
  }

 private:
  void visit_map(const YAML::Node& map, int level) {
    std::map<std::string, int> lines;
    for (const auto& entry : map) {
      const int line = line_of(entry.first);
      if (!entry.first.IsScalar()) throw Malformed{line, "a key that is no text found"};
      const auto [first, is_new] = lines.emplace(entry.first.Scalar(), line);
      if (!is_new) {
        throw Malformed{line, "the key \"" + first->first + "\" found a second time, one expected" +
                                  " (line " + std::to_string(first->second) + " has it)"};
      }
      visit(entry.second, level + 1);
    }
  }

  int values_ = 0;
};

}  // namespace

void check_tree(const YAML::Node& root) { Walk().visit(root, 0); }

}  // namespace nlc::sim::scenario

#include "tests/conformance/unit_case.h"

#include <stdexcept>

#include "sim/scenario/reading/fields.h"
#include "sim/scenario/reading/file_text.h"
#include "sim/scenario/reading/yaml_value.h"

namespace nlc::conformance {
namespace {

using sim::scenario::Fields;
using sim::scenario::Problems;
using sim::scenario::Yaml;

template <typename Entry>
std::vector<Entry> section_of(const std::string& path, Entry (*read)(Fields&)) {
  Problems problems{.file = path};
  std::vector<Entry> entries;
  const Yaml file = yaml::read(*sim::scenario::text_of_file(path));
  for (const Yaml& node : file["unit"].list) {
    Fields fields(node, "a unit case", problems);
    entries.push_back(read(fields));
  }
  if (problems.found.empty()) return entries;
  const sim::scenario::Failure& first = problems.found.front();
  throw std::runtime_error(first.expectation + " " + first.seen);
}

UnitCase unit_of(Fields& fields) {
  return {.id = fields.need_text("id"),
          .area = fields.text("area"),
          .component = fields.text("component"),
          .title = fields.text("title"),
          .input = json_of(fields.find("input")),
          .output = json_of(fields.find("output"))};
}

UnitDeviation deviation_of(Fields& fields) {
  UnitDeviation deviation{.id = fields.need_text("id"),
                          .reason = fields.need_text("reason"),
                          .instead = fields.text("instead"),
                          .output = {}};
  fields.find("better");  // this case's own sentence in the place of its reason's
  if (const Yaml& output = fields.find("output"); output.is_defined()) {
    deviation.output = json_of(output);
  }
  fields.finish();
  return deviation;
}

}  // namespace

std::vector<UnitCase> read_units(const std::string& path) { return section_of(path, unit_of); }

std::vector<UnitDeviation> read_unit_deviations(const std::string& path) {
  return section_of(path, deviation_of);
}

}  // namespace nlc::conformance

#include "sim/apiserver/registry/selectors.h"

#include <absl/strings/str_join.h>
#include <algorithm>

#include "runtime/parse_number.h"
#include "runtime/words.h"
#include "sim/apiserver/types/go_text.h"
#include "sim/apiserver/types/json_text.h"
#include "sim/apiserver/validation/metadata_validation.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;
using Operator = LabelSelector::Operator;

/// Cuts a label selector into words and signs.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) { skip_spaces(); }

  /// The next word or sign; empty at the end.
  std::string_view peek() const {
    if (rest_.empty()) return {};
    for (const std::string_view sign : {"==", "!=", "!", "=", "(", ")", ",", ">", "<"}) {
      if (rest_.starts_with(sign)) return rest_.substr(0, sign.size());
    }
    return rest_.substr(0, rest_.find_first_of("!=(),<> \t"));
  }

  std::string_view take() {
    const std::string_view token = peek();
    rest_.remove_prefix(token.size());
    skip_spaces();
    return token;
  }

  bool accept(std::string_view sign) {
    if (peek() != sign) return false;
    take();
    return true;
  }

  bool at_word() const {
    const std::string_view token = peek();
    return !token.empty() && token.find_first_of("!=(),<>") == std::string_view::npos;
  }

 private:
  void skip_spaces() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  }

  std::string_view rest_;
};

StatusError unparsable(std::string_view found, std::string_view expected) {
  return bad_request("found '" + std::string(found) + "', expected: " + std::string(expected));
}

Outcome<std::vector<std::string>> parse_set(Scanner& scanner) {
  if (!scanner.accept("(")) {  // here alone the server writes no comma
    return bad_request("found '" + std::string(scanner.peek()) + "' expected: '('");
  }
  std::vector<std::string> values;
  if (scanner.peek().empty()) return unparsable("", "',', ')' or identifier");
  while (true) {
    values.emplace_back(scanner.at_word() ? scanner.take() : std::string_view{});
    if (scanner.accept(")")) return values;
    if (!scanner.accept(",")) return unparsable(scanner.peek(), "',' or ')'");
  }
}

Outcome<LabelSelector::Requirement> parse_requirement(Scanner& scanner) {
  LabelSelector::Requirement result;
  const bool absent = scanner.accept("!");
  if (!scanner.at_word()) return unparsable(scanner.peek(), "identifier");
  result.key = scanner.take();
  const std::string_view next = scanner.peek();
  if (absent || next.empty() || next == ",") {
    result.op = absent ? Operator::Absent : Operator::Exists;
    return result;
  }
  const std::string_view op = scanner.take();
  if (op == "in" || op == "notin") {
    result.op = op == "in" ? Operator::In : Operator::NotIn;
    Outcome<std::vector<std::string>> values = parse_set(scanner);
    if (!values) return values.error();
    result.values = std::move(*values);
    return result;
  }
  if (op == "=" || op == "==")
    result.op = Operator::In;
  else if (op == "!=")
    result.op = Operator::NotIn;
  else if (op == ">")
    result.op = Operator::Greater;
  else if (op == "<")
    result.op = Operator::Less;
  else
    return unparsable(op, "in, notin, =, ==, !=, gt, lt");
  result.values.emplace_back(scanner.at_word() ? scanner.take() : std::string_view{});
  return result;
}

/// Why no label can be meant by it; empty when one can.
std::string fault_of(const LabelSelector::Requirement& requirement) {
  const auto invalid = [](const std::string& place, const std::string& value,
                          const std::string& why) {
    return place + ": Invalid value: " + json_text(value) + ": " + why;
  };
  const std::string key_fault = absl::StrJoin(qualified_name_faults(requirement.key), "; ");
  if (!key_fault.empty()) return invalid("<nil>", requirement.key, key_fault);
  const std::vector<std::string>& values = requirement.values;
  const bool of_numbers = requirement.op == Operator::Greater || requirement.op == Operator::Less;
  std::vector<std::string> faults;
  if (of_numbers && !go_int(values.front()).fault.empty()) {
    faults.push_back(invalid("values[0]", values.front(),
                             "for 'Gt', 'Lt' operators, the value must be an integer"));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string why = absl::StrJoin(label_value_faults(values[i]), "; ");
    if (why.empty()) continue;
    faults.push_back(
        invalid(element_of("values", i) + "[" + requirement.key + "]", values[i], why));
  }
  return faults.size() < 2 ? absl::StrJoin(faults, "") : "[" + absl::StrJoin(faults, ", ") + "]";
}

bool compares(const std::string& label, const std::string& bound, bool greater) {
  const auto left = parse_number<long long>(label);
  const auto right = parse_number<long long>(bound);
  if (!left || !right) return false;
  return greater ? *left > *right : *left < *right;
}

bool satisfied(const LabelSelector::Requirement& requirement, const Json* labels) {
  const auto found = labels == nullptr ? Json::const_iterator{} : labels->find(requirement.key);
  const bool present = labels != nullptr && found != labels->end() && found->is_string();
  const std::string value = present ? found->get<std::string>() : "";
  const auto listed = [&] {
    return std::find(requirement.values.begin(), requirement.values.end(), value) !=
           requirement.values.end();
  };
  switch (requirement.op) {
    case Operator::Exists:
      return present;
    case Operator::Absent:
      return !present;
    case Operator::In:
      return present && listed();
    case Operator::NotIn:
      return !present || !listed();
    case Operator::Greater:
      return present && compares(value, requirement.values.front(), true);
    case Operator::Less:
      return present && compares(value, requirement.values.front(), false);
  }
  std::abort();
}

bool is_known_field(const Resource& resource, std::string_view field) {
  if (field == "metadata.name" || (resource.namespaced && field == "metadata.namespace"))
    return true;
  const auto any = [&](std::initializer_list<std::string_view> fields) {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  };
  if (resource.kind == "Pod") {
    return any({"spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
                "spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP",
                "status.podIPs", "status.nominatedNodeName"});
  }
  if (resource.kind == "Node") return any({"spec.unschedulable"});
  if (resource.kind == "Namespace") return any({"status.phase"});
  if (resource.kind == "Event") {
    return any({"involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
                "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion",
                "involvedObject.fieldPath", "reason", "reportingComponent", "source", "type"});
  }
  return false;
}

/// Kinds with fields of their own to select by say it in their own words.
StatusError unknown_field(const Resource& resource, const std::string& field) {
  const bool has_own = resource.kind == "Pod" || resource.kind == "Node" ||
                       resource.kind == "Namespace" || resource.kind == "Event";
  if (has_own) return bad_request("field label not supported: " + field);
  return bad_request("\"" + field +
                     "\" is not a known field selector: only \"metadata.name\", "
                     "\"metadata.namespace\"");
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "";
  return value.dump();
}

/// Of fields by which objects are found without being parsed.
std::optional<std::string_view> indexed_value(const ObjectView& object, std::string_view field) {
  if (field == "metadata.name") return object.stored().name();
  if (field == "metadata.namespace") return object.stored().namespace_name();
  if (field == "spec.nodeName") return object.node();
  return std::nullopt;
}

/// What the field holds, as the text a selector compares.
std::string field_value(const ObjectView& object, std::string_view field) {
  const Json* at = &object.json();
  std::string path(field);
  if (field == "source") path = "source.component";
  if (field == "status.podIPs") path = "status.podIP";
  for (const std::string_view key : split(path, '.')) {
    const auto next = at->is_object() ? at->find(std::string(key)) : at->end();
    if (next == at->end()) {
      return field == "spec.unschedulable" || field == "spec.hostNetwork" ? "false" : "";
    }
    at = &*next;
  }
  return text_of(*at);
}

}  // namespace

const Json& ObjectView::json() const {
  if (!parsed_) parsed_ = parse_json(object_->bytes);
  return *parsed_;
}

Outcome<LabelSelector> LabelSelector::parse(std::string_view text) {
  LabelSelector selector;
  Scanner scanner(text);
  while (!scanner.peek().empty()) {
    if (!scanner.at_word() && scanner.peek() != "!")
      return unparsable(scanner.peek(), "!, identifier, or 'end of string'");
    Outcome<Requirement> requirement = parse_requirement(scanner);
    if (!requirement)
      return bad_request("unable to parse requirement: " + requirement.error().message);
    if (const std::string fault = fault_of(*requirement); !fault.empty())
      return bad_request("unable to parse requirement: " + fault);
    selector.requirements_.push_back(std::move(*requirement));
    if (scanner.peek().empty()) break;
    if (!scanner.accept(",")) return unparsable(scanner.peek(), "',' or 'end of string'");
    if (scanner.peek().empty()) return unparsable("", "identifier after ','");
  }
  return selector;
}

bool LabelSelector::matches(const ObjectView& object) const {
  if (requirements_.empty()) return true;
  const Json& metadata = object.json().at("metadata");
  const auto labels = metadata.find("labels");
  const Json* found = labels == metadata.end() || !labels->is_object() ? nullptr : &*labels;
  return std::all_of(requirements_.begin(), requirements_.end(),
                     [&](const Requirement& requirement) { return satisfied(requirement, found); });
}

Outcome<FieldSelector> FieldSelector::parse(std::string_view text, const Resource& resource) {
  FieldSelector selector;
  std::vector<std::string_view> parts = parts_of(text, ',');
  std::ranges::sort(parts);  // so the real server judges them
  for (const std::string_view part : parts) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      return bad_request("invalid selector: '" + std::string(text) + "'; can't understand '" +
                         std::string(part) + "'");
    }
    const bool negated = equals > 0 && part[equals - 1] == '!';
    std::string_view value = part.substr(equals + 1);
    if (!negated && value.starts_with('=')) value.remove_prefix(1);
    Term term{std::string(part.substr(0, negated ? equals - 1 : equals)), std::string(value),
              !negated};
    if (!is_known_field(resource, term.field)) {
      return unknown_field(resource, term.field);
    }
    selector.inputs_.push_back(std::move(term));
  }
  return selector;
}

bool FieldSelector::matches(const ObjectView& object) const {
  return std::all_of(inputs_.begin(), inputs_.end(), [&](const Term& term) {
    const std::optional<std::string_view> indexed = indexed_value(object, term.field);
    const bool same =
        indexed ? *indexed == term.value : field_value(object, term.field) == term.value;
    return same == term.equal;
  });
}

std::optional<std::string_view> FieldSelector::fixed(std::string_view field) const {
  for (const Term& term : inputs_) {
    if (term.equal && term.field == field) return term.value;
  }
  return std::nullopt;
}

}  // namespace nlc::sim

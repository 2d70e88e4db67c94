#include "tests/conformance/unit_words.h"

#include <charconv>
#include <cmath>

#include "runtime/go_duration.h"

namespace nlc::conformance {
namespace {

using Json = nlohmann::json;

const Json nothing;

std::optional<double> as_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size() && !text.empty();
  if (!whole || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool same_number(double left, double right) { return std::abs(left - right) < 1e-9; }

bool same_text(const std::string& wanted, const std::string& seen) {
  if (wanted == seen) return true;
  const auto number = as_number(wanted);
  const auto other = as_number(seen);
  if (number && other) return same_number(*number, *other);
  const auto span = parse_go_duration(wanted);
  const auto other_span = parse_go_duration(seen);
  return span && other_span && *span == *other_span;
}

bool agrees(const Json& wanted, const Json& seen) {
  if (wanted.is_null() || seen.is_null()) return wanted.is_null() && seen.is_null();
  if (wanted.is_object()) return seen.is_object() && differences(wanted, seen).empty();
  if (wanted.is_array()) {
    if (!seen.is_array() || wanted.size() != seen.size()) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!agrees(wanted[i], seen[i])) return false;
    }
    return true;
  }
  if (seen.is_structured()) return false;
  return same_text(text_of(wanted), text_of(seen)) ||
         same_text(without_note(text_of(wanted)), text_of(seen));
}

}  // namespace

UnitInput::UnitInput(const Json& input) : input_(input.is_null() ? Json::object() : input) {
  if (!input_.is_object()) throw Unanswerable{"the input is no map: " + input_.dump()};
}

bool UnitInput::has(const std::string& key) {
  asked_.insert(key);
  return input_.contains(key);
}

const Json& UnitInput::find(const std::string& key) { return has(key) ? input_.at(key) : nothing; }

std::string UnitInput::text(const std::string& key) {
  const Json& found = find(key);
  return found.is_null() ? std::string() : text_of(found);
}

bool UnitInput::truth(const std::string& key) {
  const Json& found = find(key);
  if (found.is_null()) return false;
  if (!found.is_boolean()) throw Unanswerable{key + " is neither true nor false: " + found.dump()};
  return found.get<bool>();
}

double UnitInput::number(const std::string& key, double fallback) {
  const Json& found = find(key);
  return found.is_null() ? fallback : number_in(text_of(found));
}

int UnitInput::count(const std::string& key) {
  const double value = number(key);
  if (value < 0 || value > 1e6 || value != std::floor(value)) {
    throw Unanswerable{key + " is no whole number from 0 to 1000000: " + find(key).dump()};
  }
  return static_cast<int>(value);
}

std::vector<std::string> UnitInput::texts(const std::string& key) {
  const Json& found = find(key);
  std::vector<std::string> texts;
  if (found.is_null()) return texts;
  if (!found.is_array()) return {text_of(found)};
  for (const Json& element : found) texts.push_back(text_of(element));
  return texts;
}

void UnitInput::finish() const {
  for (const auto& [key, value] : input_.items()) {
    if (!asked_.contains(key)) throw Unanswerable{"the input has a key not known here: " + key};
  }
}

std::string text_of(const Json& scalar) {
  if (scalar.is_string()) return scalar.get<std::string>();
  if (scalar.is_boolean()) return scalar.get<bool>() ? "True" : "False";
  return scalar.dump();
}

double number_in(std::string_view text) {
  if (const auto value = as_number(trimmed(text))) return *value;
  throw Unanswerable{"not a number: " + std::string(text)};
}

Duration duration_in(std::string_view text) {
  if (const auto value = parse_go_duration(without_note(text))) return *value;
  throw Unanswerable{"not a duration: " + std::string(text)};
}

api::Taint taint_named(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    throw Unanswerable{"not a taint, such as key=value:NoExecute: " + std::string(text)};
  }
  api::Taint taint{.key = std::string(text.substr(0, colon)),
                   .effect = std::string(text.substr(colon + 1))};
  const std::size_t equals = taint.key.find('=');
  if (equals != std::string::npos) {
    taint.value = taint.key.substr(equals + 1);
    taint.key.resize(equals);
  }
  return taint;
}

std::string name_of_taint(const api::Taint& taint) {
  return taint.key + (taint.value.empty() ? "" : "=" + taint.value) + ":" + taint.effect;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

std::string without_note(std::string_view text) {
  const std::size_t note = text.find(" (");
  const bool ends_so = text.ends_with(')');
  return trimmed(ends_so && note != std::string_view::npos ? text.substr(0, note) : text);
}

std::vector<Failure> differences(const Json& wanted, const Json& seen) {
  std::vector<Failure> found;
  if (!wanted.is_object() || !seen.is_object()) {
    if (!agrees(wanted, seen)) found.push_back({"the output is " + wanted.dump(), seen.dump()});
    return found;
  }
  for (const auto& [key, value] : wanted.items()) {
    if (key == "note" || key == "notes") continue;
    if (!seen.contains(key)) {
      found.push_back({key + " is " + value.dump(), "no component of ours tells that"});
    } else if (!agrees(value, seen.at(key))) {
      found.push_back({key + " is " + value.dump(), seen.at(key).dump()});
    }
  }
  return found;
}

}  // namespace nlc::conformance

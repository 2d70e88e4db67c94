#include "sim/apiserver/registry/json_patch.h"

#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>
#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/parse_number.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

/// The real server's limits. Each copy may double an object, and each few operations may put it one
/// level deeper.
constexpr std::size_t most_operations = 10'000;
constexpr std::size_t most_copied = 3 * 1024 * 1024;

class JsonPatch {
 public:
  /// Ends it. What a client hears does not say why.
  struct DoesNotApply {};

  explicit JsonPatch(Json object) : object_(std::move(object)) {}

  void apply(const Json& operation) {
    if (!operation.is_object()) throw DoesNotApply{};
    const std::string name = text_in(operation, "op");
    const std::string path = text_in(operation, "path");
    if (name == "add") return put(place_of(path), value_in(operation));
    if (name == "remove") return take_out(place_of(path));
    if (name == "replace") return replace(path, value_in(operation));
    if (name == "test") return test(path, value_in(operation));
    if (name == "move") return move(text_in(operation, "from"), path);
    if (name == "copy") return copy(text_in(operation, "from"), path);
    throw DoesNotApply{};
  }

  Json taken() { return std::move(object_); }

 private:
  /// A member of an object, or an element of a list: it need not be there.
  struct Place {
    Json& within;
    std::string key;
  };

  static std::string text_in(const Json& operation, const char* name) {
    const auto text = operation.find(name);
    if (text == operation.end() || !text->is_string()) throw DoesNotApply{};
    return text->get<std::string>();
  }

  static Json value_in(const Json& operation) {
    const auto value = operation.find("value");
    return value == operation.end() ? Json() : *value;
  }

  static std::size_t index_of(const std::string& key, std::size_t elements) {
    const auto count = static_cast<std::int64_t>(elements);
    const auto index = parse_number<std::int64_t>(key);
    if (!index || *index >= count || *index < -count) throw DoesNotApply{};
    return static_cast<std::size_t>(*index < 0 ? *index + count : *index);
  }

  /// Null: an object has no such member. A list without such an element ends the patch.
  static Json* what_is_at(const Place& place) {
    if (place.within.is_array()) return &place.within[index_of(place.key, place.within.size())];
    const auto member = place.within.find(place.key);
    return member == place.within.end() ? nullptr : &*member;
  }

  Place place_of(const std::string& path) {
    std::vector<std::string> keys = absl::StrSplit(path, '/');
    if (keys.size() < 2) throw DoesNotApply{};
    for (std::string& key : keys) key = absl::StrReplaceAll(key, {{"~0", "~"}, {"~1", "/"}});
    Json* within = &object_;
    for (std::size_t i = 1; i + 1 < keys.size(); ++i) {
      within = what_is_at({*within, keys[i]});
      if (within == nullptr || !within->is_structured()) throw DoesNotApply{};
    }
    return {*within, keys.back()};
  }

  static void put(const Place& place, Json value) {
    if (!place.within.is_array()) {
      place.within[place.key] = std::move(value);
    } else if (place.key == "-") {
      place.within.push_back(std::move(value));
    } else {
      const std::size_t before = index_of(place.key, place.within.size() + 1);
      place.within.insert(place.within.begin() + static_cast<std::ptrdiff_t>(before),
                          std::move(value));
    }
  }

  static void take_out(const Place& place) {
    if (what_is_at(place) == nullptr) throw DoesNotApply{};
    if (place.within.is_array()) {
      place.within.erase(index_of(place.key, place.within.size()));
    } else {
      place.within.erase(place.key);
    }
  }

  void replace(const std::string& path, Json value) {
    if (path.empty()) {
      if (!value.is_object()) throw DoesNotApply{};
      object_ = std::move(value);
      return;
    }
    const Place place = place_of(path);
    Json* before = what_is_at(place);
    (before != nullptr ? *before : place.within[place.key]) = std::move(value);
  }

  void test(const std::string& path, const Json& value) {
    const Json* there = path.empty() ? &object_ : what_is_at(place_of(path));
    const bool as_said = there == nullptr ? value.is_null() : *there == value;
    if (!as_said) throw DoesNotApply{};
  }

  void move(const std::string& from, const std::string& path) {
    const Place place = place_of(from);
    Json* there = what_is_at(place);
    if (there == nullptr) throw DoesNotApply{};
    Json value = std::move(*there);
    take_out(place);
    put(place_of(path), std::move(value));
  }

  void copy(const std::string& from, const std::string& path) {
    const Json* there = what_is_at(place_of(from));
    const Json value = there == nullptr ? Json() : *there;
    copied_ += value.dump(-1, ' ', false, Json::error_handler_t::replace).size();
    if (copied_ > most_copied) throw DoesNotApply{};
    put(place_of(path), value);
  }

  Json object_;
  std::size_t copied_ = 0;  ///< by all operations so far, as text
};

}  // namespace

Outcome<Json> json_patched(Json object, const Json& patch) {
  assert(object.is_object() && patch.is_array());
  if (patch.size() > most_operations) return too_many_operations(most_operations, patch.size());
  JsonPatch all(std::move(object));
  try {
    for (const Json& operation : patch) all.apply(operation);
  } catch (const JsonPatch::DoesNotApply&) {
    return refused_by_patch();
  }
  return all.taken();
}

}  // namespace nlc::sim

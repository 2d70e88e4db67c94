#include "yaml/value.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <new>
#include <utility>
#include <yaml.h>

namespace nlc::yaml {
namespace {

constexpr int most_levels = 64;
constexpr int most_values = 1'000'000;
constexpr std::size_t most_copied_bytes = 16 << 20;

int line_of(const yaml_event_t& event) { return static_cast<int>(event.start_mark.line) + 1; }

std::string text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string() : reinterpret_cast<const char*>(text);
}

/// What libyaml finds in a text, one after the other.
class Events {
 public:
  explicit Events(std::string_view text) : text_(text) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }

  const yaml_event_t& event() const { return event_; }
  const yaml_event_t& advance() {
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_) != 0) return event_;
    if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    throw Malformed{line_of_problem(),
                    "not valid YAML: " + std::string(parser_.problem) +
                        (parser_.context == nullptr ? "" : ", " + std::string(parser_.context))};
  }

 private:
  /// Of what is no text only its place among the bytes is told.
  int line_of_problem() const {
    if (parser_.error != YAML_READER_ERROR) return static_cast<int>(parser_.problem_mark.line) + 1;
    const std::string_view before = text_.substr(0, parser_.problem_offset);
    return 1 + static_cast<int>(std::ranges::count(before, '\n'));
  }

  const std::string_view text_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
};

bool is_null(std::string_view plain) {
  return plain.empty() || plain == "~" || plain == "null" || plain == "Null" || plain == "NULL";
}

class Reader {
 public:
  Reader(std::string_view text, Decoding decoding) : events_(text), decoding_(decoding) {}

  Value document() {
    events_.advance();  // the stream begins
    if (events_.advance().type == YAML_STREAM_END_EVENT)
      return {.kind = Value::Kind::Null, .line = 1};
    events_.advance();
    Value root = read(0);
    events_.advance();  // the document ends
    if (decoding_ == Decoding::Lenient) return root;
    if (events_.advance().type == YAML_STREAM_END_EVENT) return root;
    throw Malformed{line_of(events_.advance()), "a second document found, one expected"};
  }

 private:
  /// That whose first event is the present one; afterwards its last one is.
  Value read(int level) {
    const yaml_event_t& event = events_.event();
    if (event.type == YAML_ALIAS_EVENT) return stands_for(event, level);
    Value value{.line = line_of(event)};
    count(value.line, level);
    // The event is gone when the next one is read.
    const std::string anchor =
        text_of(event.type == YAML_SCALAR_EVENT          ? event.data.scalar.anchor
                : event.type == YAML_MAPPING_START_EVENT ? event.data.mapping_start.anchor
                                                         : event.data.sequence_start.anchor);
    if (event.type == YAML_SCALAR_EVENT) {
      read_scalar(value);
    } else if (event.type == YAML_MAPPING_START_EVENT) {
      read_map(value, level);
    } else {
      read_list(value, level);
    }
    if (!anchor.empty()) anchored_.insert_or_assign(anchor, copied(value, level));
    return value;
  }

  void read_scalar(Value& value) const {
    const auto& scalar = events_.event().data.scalar;
    value.text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
    value.quoted = scalar.style != YAML_PLAIN_SCALAR_STYLE || text_of(scalar.tag) == YAML_STR_TAG;
    value.kind = !value.quoted && is_null(value.text) ? Value::Kind::Null : Value::Kind::Text;
  }

  void read_list(Value& value, int level) {
    value.kind = Value::Kind::List;
    while (events_.advance().type != YAML_SEQUENCE_END_EVENT) {
      value.list.push_back(read(level + 1));
    }
  }

  void read_map(Value& value, int level) {
    value.kind = Value::Kind::Map;
    while (events_.advance().type != YAML_MAPPING_END_EVENT) {
      Value key{.line = line_of(events_.event())};
      if (events_.event().type == YAML_SCALAR_EVENT) read_scalar(key);
      if (!key.is_text()) throw Malformed{key.line, "a key that is no text found, a text expected"};
      events_.advance();
      value.map.push_back({.key = std::move(key.text), .line = key.line, .value = read(level + 1)});
    }
    if (decoding_ == Decoding::Strict) refuse_same_keys(value.map);
  }

  static void refuse_same_keys(const std::vector<Value::Entry>& map) {
    std::vector<const Value::Entry*> sorted;
    sorted.reserve(map.size());
    for (const Value::Entry& entry : map) sorted.push_back(&entry);
    std::ranges::sort(sorted, [](const Value::Entry* one, const Value::Entry* other) {
      const int order = one->key.compare(other->key);
      return order < 0 || (order == 0 && one < other);
    });
    const auto same = std::ranges::adjacent_find(
        sorted, [](const auto* one, const auto* other) { return one->key == other->key; });
    if (same == sorted.end()) return;
    const Value::Entry& first = **same;
    throw Malformed{(*std::next(same))->line, "the key \"" + first.key +
                                                  "\" found a second time, one expected (line " +
                                                  std::to_string(first.line) + " has it)"};
  }

  Value stands_for(const yaml_event_t& alias, int level) {
    const std::string name = text_of(alias.data.alias.anchor);
    const auto found = anchored_.find(name);
    if (found == anchored_.end()) {
      throw Malformed{line_of(alias),
                      "the alias *" + name + " found, one of a value that ends before it expected"};
    }
    return copied(found->second, level);
  }

  /// To be kept for aliases, or put in the place of one.
  Value copied(const Value& value, int level) {
    count_all(value, level);
    return value;
  }

  void count_all(const Value& value, int level) {
    count(value.line, level);
    copied_bytes_ += value.text.size();
    for (const Value& element : value.list) count_all(element, level + 1);
    for (const Value::Entry& entry : value.map) {
      copied_bytes_ += entry.key.size();
      count_all(entry.value, level + 1);
    }
    if (copied_bytes_ <= most_copied_bytes) return;
    throw Malformed{value.line, "more than " + std::to_string(most_copied_bytes >> 20) +
                                    " MiB of text by aliases found, less expected"};
  }

  void count(int line, int level) {
    if (level > most_levels) {
      throw Malformed{line, "nesting deeper than " + std::to_string(most_levels) +
                                " levels found, fewer expected"};
    }
    if (++values_ > most_values) {
      throw Malformed{line, "more than " + std::to_string(most_values) +
                                " values found, perhaps by aliases of aliases; fewer expected"};
    }
  }

  Events events_;
  const Decoding decoding_;
  std::map<std::string, Value> anchored_;
  int values_ = 0;
  std::size_t copied_bytes_ = 0;
};

}  // namespace

const Value& Value::operator[](std::string_view key) const& {
  const auto found = std::ranges::find(map.rbegin(), map.rend(), key, &Entry::key);
  return found == map.rend() ? absent() : found->value;
}

const Value& Value::absent() {
  static const Value value;
  return value;
}

Value read(std::string_view text, Decoding decoding) { return Reader(text, decoding).document(); }

}  // namespace nlc::yaml

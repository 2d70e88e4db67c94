#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nlc::sim::scenario {

/// A file cannot be understood; ends in the reader, which puts the file's name before it.
struct Malformed {
  int line;
  std::string words;  ///< what was found, what was expected
};

/// A value of a YAML file, and where it stands there.
struct Yaml {
  enum class Kind : std::uint8_t { Absent, Null, Text, List, Map };
  struct Entry;

  Kind kind = Kind::Absent;
  bool quoted = false;  ///< a text that is one, whatever it looks like
  int line = 0;
  std::string text;
  std::vector<Yaml> list;
  std::vector<Entry> map;  ///< in the order of the file, no key twice

  bool is_defined() const { return kind != Kind::Absent; }
  bool is_null() const { return kind == Kind::Null; }
  bool is_text() const { return kind == Kind::Text; }
  bool is_list() const { return kind == Kind::List; }
  bool is_map() const { return kind == Kind::Map; }

  /// What a map says under that key; absent where it does not, and of everything that is no map.
  const Yaml& operator[](std::string_view key) const;

  static const Yaml& absent();
};

struct Yaml::Entry {
  std::string key;
  int line = 0;  ///< of the key
  Yaml value;
};

/// The one document of a file; null where it is empty. Refused as Malformed, with its line, is what
/// is no YAML, and what could not be read rightly: a key twice in one map, a key that is no text,
/// nesting deeper than 64, and more than a million values, each alias counted as all that it stands
/// for.
Yaml yaml_of(std::string_view text);

}  // namespace nlc::sim::scenario

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/utf8.h"

/// YAML as Kubernetes writes it, read by libyaml.
namespace nlc::yaml {

/// A text cannot be understood. It is thrown, and ends in whoever reads the text, who puts before
/// it what was read.
struct Malformed {
  /// `told`: what was found, what was expected.
  Malformed(int where, std::string_view told) : line(where), words(error_line(told)) {}

  int line;
  std::string words;  ///< on one line of bounded length, whatever the text says
};

/// What a text says, and where.
struct Value {
  enum class Kind : std::uint8_t { Absent, Null, Text, List, Map };
  struct Entry;

  Kind kind = Kind::Absent;
  bool quoted = false;  ///< a text that is one, whatever it looks like
  int line = 0;
  std::string text;
  std::vector<Value> list;
  std::vector<Entry> map;  ///< in the order of the text; of equal keys the last counts

  bool is_defined() const { return kind != Kind::Absent; }
  bool is_null() const { return kind == Kind::Null; }
  bool is_text() const { return kind == Kind::Text; }
  bool is_list() const { return kind == Kind::List; }
  bool is_map() const { return kind == Kind::Map; }

  /// What a map says under that key; absent where it does not, and of everything that is no map.
  const Value& operator[](std::string_view key) const&;
  const Value& operator[](std::string_view key) const&& = delete;

  static const Value& absent();
};

struct Value::Entry {
  std::string key;
  int line = 0;  ///< of the key
  Value value;
};

enum class Decoding : std::uint8_t {
  Strict,   ///< one document, in whose maps no key stands twice
  Lenient,  ///< as kube-apiserver reads a body: equal keys may be there, and all but the first
            ///< document is left unread
};

/// The document of a text; null where it is empty. Refused as Malformed, with its line, is what is
/// not valid YAML in UTF-8, what could not be read rightly (a key that is no text, an alias of what
/// does not end before it), and what would not fit: nesting deeper than 64, more than a million
/// values, more than 16 MiB of text by aliases; each alias counts as all that it stands for.
Value read(std::string_view text, Decoding decoding = Decoding::Strict);

}  // namespace nlc::yaml

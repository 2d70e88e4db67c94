#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.h"
#include "runtime/result.h"

namespace nlc::controller {

/// What Kubernetes takes as the value of a label: nothing, or up to 63 letters, digits, "-", "_"
/// and
/// ".", with a letter or a digit at both ends.
bool is_label_value(std::string_view text);

/// Which nodes are meant, as kubectl takes it behind `-l`: `a=b`, `a!=b`, `a in (b,c)`, `a notin
/// (b,c)`, `a`, `!a`, and several of these with commas between them, which must all be true.
class LabelSelector {
 public:
  /// The error's path says what of the text is wrong.
  static Result<LabelSelector> read(std::string_view text);

  bool matches(const api::Labels& labels) const;

 private:
  struct Requirement {
    enum class Kind : std::uint8_t { In, NotIn, Exists, Absent } kind = Kind::Exists;
    std::string key;
    std::vector<std::string> values;
  };
  static Result<Requirement> read_requirement(std::string_view text);
  static Result<Requirement> requirement(Requirement::Kind kind, std::string_view key,
                                         const std::vector<std::string_view>& values);
  static bool holds(const Requirement& requirement, const api::Labels& labels);

  std::vector<Requirement> requirements_;
};

}  // namespace nlc::controller

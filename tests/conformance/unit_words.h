#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.h"
#include "runtime/time.h"
#include "sim/scenario/model/outcome.h"

/// What all runners of unit cases know about inputs and outputs.
namespace nlc::conformance {

using sim::scenario::Failure;

/// When the worlds of unit cases begin.
inline constexpr Instant unit_start{std::chrono::hours(1)};
inline constexpr WallTime unit_wall_start{std::chrono::sys_days{std::chrono::year{2020} / 1 / 1}};

/// There is no component to ask, or not this way; ends in `run_unit`.
struct Unanswerable {
  std::string why;
};

/// The input of one unit case. Each key is asked for once; a key that nobody asked for is one we do
/// not know, and `finish` says so.
class UnitInput {
 public:
  explicit UnitInput(const nlohmann::json& input);

  bool has(const std::string& key);
  /// Null when absent.
  const nlohmann::json& find(const std::string& key);
  std::string text(const std::string& key);  ///< empty when absent or null
  bool truth(const std::string& key);        ///< false when absent
  double number(const std::string& key, double fallback = 0);
  int count(const std::string& key);  ///< a whole number, not below 0
  std::vector<std::string> texts(const std::string& key);

  void finish() const;

 private:
  const nlohmann::json input_;
  std::set<std::string> asked_{"note", "notes"};
};

/// A scalar as text, whatever it looks like.
std::string text_of(const nlohmann::json& scalar);
double number_in(std::string_view text);
Duration duration_in(std::string_view text);

/// "key=value:effect", "key:effect".
api::Taint taint_named(std::string_view text);
std::string name_of_taint(const api::Taint& taint);

/// The text without blanks at its ends, and without a remark in parentheses behind it.
std::string trimmed(std::string_view text);
std::string without_note(std::string_view text);

/// What of `wanted` is not in `seen`. Numbers and durations are compared by value, a parenthesis
/// behind a text is a remark, and a key of `wanted` that `seen` lacks is something that no
/// component of ours can tell.
std::vector<Failure> differences(const nlohmann::json& wanted, const nlohmann::json& seen);

}  // namespace nlc::conformance

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/simdjson.h"

/// Writing an object of which only a few members are ours.
namespace nlc::api {

/// As a JSON string.
std::string json_string(std::string_view text);

/// The members of an object that is written, in their order: those that are kept stay as they were
/// read, in their place. What was read and the names must outlive this.
class JsonMembers {
 public:
  /// All that the object has; nothing where it is none.
  void keep(std::optional<simdjson::dom::element> object);
  /// `value` is JSON.
  void set(std::string_view name, std::string value);

  std::string text() const;

 private:
  struct Member {
    std::string_view name;
    simdjson::dom::element kept;
    std::optional<std::string> value;  ///< in the place of what was read
  };

  Member& member(std::string_view name);

  std::vector<Member> members_;
};

}  // namespace nlc::api

#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nlc::bench {

/// A watch event that is said again and again with a few words changed: encoded once, then put
/// together from its pieces. Where `object` holds the text "@name" a word of that name goes.
class Mould {
 public:
  Mould(std::string_view type, const nlohmann::ordered_json& object);

  /// The event as a line of a stream. Every gap needs a word; words without a gap are left out.
  std::string cast(
      std::initializer_list<std::pair<std::string_view, std::string_view>> words) const;

 private:
  struct Piece {
    std::string text;
    std::string gap;  ///< behind the text; empty at the end
  };
  std::vector<Piece> pieces_;
};

}  // namespace nlc::bench

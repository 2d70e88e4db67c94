#include "bench/mould.h"

#include <algorithm>
#include <cassert>

namespace nlc::bench {

Mould::Mould(std::string_view type, const nlohmann::ordered_json& object) {
  nlohmann::ordered_json event;
  event["type"] = type;
  event["object"] = object;
  const std::string whole = event.dump() + "\n";
  std::size_t begin = 0;
  for (std::size_t at = whole.find("\"@"); at != std::string::npos; at = whole.find("\"@", begin)) {
    const std::size_t end = whole.find('"', at + 2);
    pieces_.push_back({whole.substr(begin, at + 1 - begin), whole.substr(at + 2, end - at - 2)});
    begin = end;
  }
  pieces_.push_back({whole.substr(begin), ""});
}

std::string Mould::cast(
    std::initializer_list<std::pair<std::string_view, std::string_view>> words) const {
  std::string line;
  for (const Piece& piece : pieces_) {
    line += piece.text;
    if (piece.gap.empty()) break;
    const auto word =
        std::ranges::find_if(words, [&](const auto& known) { return known.first == piece.gap; });
    assert(word != words.end());
    line += word->second;
  }
  return line;
}

}  // namespace nlc::bench

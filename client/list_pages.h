#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

#include "api/decode.h"

namespace nlc::client {

/// What one page tells of its list.
struct ListedPage {
  std::string_view version;         ///< of the list
  std::string_view continue_token;  ///< for the next page; empty on the last
  std::size_t objects = 0;          ///< those that cannot be read among them
  std::string_view first_key;       ///< of its first object; empty where that is not known
};

/// Empty where the page has no object, or the key of the first cannot be read.
template <typename T>
std::string first_key(const api::ListPage<T>& page) {
  if (!page.items.empty()) return std::string(page.items.front().key());
  return page.malformed.empty() ? std::string() : page.malformed.front().key;
}

/// A list that is read page by page, and whether it comes to an end: a server may always say that
/// there is more. Pure.
class ListPages {
 public:
  void begin() { *this = {}; }

  /// Whether the list comes nearer to its end with this page. A page has its objects for itself:
  /// one that begins like another before it is that one again, whatever its token.
  bool go_on(const ListedPage& page);

 private:
  std::string token_;  ///< of the last page
  int pages_ = 0;
  std::unordered_set<std::size_t> starts_;  ///< each page's first key, hashed
};

}  // namespace nlc::client

#include "client/list_pages.h"

#include <functional>
#include <utility>

namespace nlc::client {
namespace {

/// Five million objects by pages of 500.
constexpr int pages_max = 10'000;

}  // namespace

bool ListPages::go_on(const ListedPage& page) {
  const std::string asked_for = std::exchange(token_, std::string(page.continue_token));
  const bool is_new = page.first_key.empty() ||
                      starts_.insert(std::hash<std::string_view>{}(page.first_key)).second;
  if (!is_new) return false;
  if (page.continue_token.empty()) return true;
  return page.objects > 0 && page.continue_token != asked_for && ++pages_ < pages_max;
}

}  // namespace nlc::client

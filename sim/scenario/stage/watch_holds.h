#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/endpoint.h"

namespace nlc::sim::scenario {

/// Delays what watches tell of a resource, or of one of its objects. A stream stays in order: what
/// follows a held event waits with it.
class WatchHolds {
 public:
  /// An empty key stands for the whole resource; a key may be a pattern.
  void hold(const std::string& resource, const std::string& key);
  void release(const std::string& resource, const std::string& key);

  /// A reply to a watch of that resource that obeys the holds. They must outlive it.
  std::unique_ptr<client::Reply> obeying(std::string resource,
                                         std::unique_ptr<client::Reply> reply);

 private:
  class Stream;

  bool is_held(const std::string& resource) const;
  bool is_held(const std::string& resource, const std::string& key) const;
  bool concerns(const std::string& resource, std::string_view bytes) const;

  std::multiset<std::pair<std::string, std::string>> holds_;
  std::vector<Stream*> streams_;  ///< as they were opened: one day goes like another of its seed
};

}  // namespace nlc::sim::scenario

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/apiserver/registry/storage.h"

namespace nlc::sim {

/// A lock is written every two seconds and a lease every ten, each time as the time before but for
/// its `renewTime` and the version that the write is for. What such a write leaves needs not be
/// worked out: it is what there is, with the new time in it.
class RepeatedWrites {
 public:
  explicit RepeatedWrites(Storage& storage) : storage_(storage), last_(resources().size()) {}

  /// Stores the object as that body leaves it; null, and nothing is done, when the body has to be
  /// read.
  ObjectRef repeat(const Resource& resource, std::string_view key, std::string_view body);

  /// That body left the object so, was not changed by admission and nobody was warned. The last of
  /// each object is remembered.
  void taken(const Resource& resource, std::string body, const ObjectRef& after);

 private:
  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct Write {
    std::string body;
    Span version;
    Span time;
    std::size_t renewal = 0;  ///< where the name of the time begins
    ObjectRef after;
  };
  /// What another body has in the place of the two values; empty unless all else is the same.
  struct Values {
    std::string_view version;
    std::string_view time;
  };

  static Span value_after(std::string_view text, std::string_view name);
  static Values values_in(std::string_view body, const Write& last);

  Storage& storage_;
  std::vector<std::map<std::string, Write, std::less<>>> last_;  ///< by `Resource::id` and key
};

}  // namespace nlc::sim

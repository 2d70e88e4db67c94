#pragma once

#include <map>
#include <string>
#include <string_view>

#include "sim/apiserver/types/resource.h"

namespace nlc::sim {

/// The options after the question mark; of repeated ones the first counts.
class Query {
 public:
  Query() = default;
  explicit Query(std::string_view text);

  /// Empty when absent.
  std::string_view get(std::string_view name) const;
  bool has(std::string_view name) const { return values_.contains(name); }
  /// As Go reads a boolean option: present and neither "false", in any case, nor "0".
  bool is_true(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// What one request asks for, read from its method and address alone: the terms in which
/// authorization, deliberate faults and observers speak.
struct RequestInfo {
  std::string path;  ///< decoded, without the query
  Query query;
  std::string
      verb;  ///< get list watch create update patch delete deletecollection; else the method
  std::string group;
  std::string version;
  std::string resource;  ///< plural; empty for addresses that are no resource
  std::string subresource;
  std::string namespace_name;
  std::string name;
  const Resource* known = nullptr;  ///< null for resources and addresses this server does not have
};

RequestInfo request_info(std::string_view method, std::string_view target);

}  // namespace nlc::sim

#pragma once

#include <span>
#include <string_view>

#include "sim/apiserver/types/resource.h"

namespace nlc::sim {

/// One column of a kind's table, with the description the real server gives.
struct Column {
  std::string_view name;
  std::string_view type;
  std::string_view format;
  std::string_view description;
  int priority;  ///< above 0: only in wide output
};

std::span<const Column> columns_of(const Resource& resource);

}  // namespace nlc::sim

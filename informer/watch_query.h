#pragma once

#include <string>
#include <string_view>

#include "informer/watch_machine.h"

namespace nlc::informer {

/// What is asked of a collection to watch it, behind its path: "?watch=true&…". Of its objects only
/// those that `field_selector` selects; all, where that is empty.
std::string watch_query(const OpenWatch& watch, std::string_view field_selector);

}  // namespace nlc::informer

#pragma once

#include <map>
#include <set>
#include <string>

/// The cut of the project as tables: who may include what, besides itself.
namespace nlc::architecture {

using Folders = std::set<std::string, std::less<>>;
using Arrows = std::map<std::string, Folders>;

/// Among the folders of the root.
const Arrows& arrows();

/// Among the rooms of one folder; who is not named may enter all of them.
const Arrows& arrows_of_rooms();

/// Rooms that may include less than their folder: the whole of what they may.
const Arrows& rooms_apart();

/// What mains may include besides that, by their folder.
const Arrows& arrows_of_mains();

}  // namespace nlc::architecture

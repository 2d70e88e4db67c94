#include "controller/options/controllers.h"

namespace nlc::controller {
namespace {

constexpr std::string_view lifecycle = "node-lifecycle-controller";
constexpr std::string_view eviction = "taint-eviction-controller";

/// A controller's name of today; nothing for a word that names none.
std::string_view name_of(std::string_view word) {
  if (word == lifecycle || word == "nodelifecycle") return lifecycle;
  return word == eviction ? eviction : std::string_view{};
}

bool runs(std::string_view controller, const std::vector<std::string>& entries) {
  bool any = false;
  for (const std::string_view entry : entries) {
    if (name_of(entry) == controller) return true;
    if (entry.starts_with('-') && name_of(entry.substr(1)) == controller) return false;
    any = any || entry == "*";
  }
  return any;
}

}  // namespace

Result<Controllers> read_controllers(const std::vector<std::string>& entries) {
  for (const std::string_view entry : entries) {
    const std::string_view word = entry.starts_with('-') ? entry.substr(1) : entry;
    if (entry != "*" && name_of(word).empty()) {
      return Error{Fault::Invalid, "\"" + std::string(entry) + "\" is not known here"};
    }
  }
  const Controllers chosen{.node_lifecycle = runs(lifecycle, entries),
                           .taint_eviction = runs(eviction, entries)};
  if (!chosen.node_lifecycle && !chosen.taint_eviction) {
    return Error{Fault::Invalid, "nothing is left to run"};
  }
  return chosen;
}

}  // namespace nlc::controller

#include "informer/watch_query.h"

#include <chrono>

#include "client/resources.h"

namespace nlc::informer {

std::string watch_query(const OpenWatch& watch, std::string_view field_selector) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(watch.timeout).count();
  std::string query =
      "?watch=true&allowWatchBookmarks=true&timeoutSeconds=" + std::to_string(seconds);
  if (!field_selector.empty()) query += "&fieldSelector=" + client::escaped(field_selector);
  if (watch.initial_events) query += "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
  if (!watch.resource_version.empty()) {
    query += "&resourceVersion=" + client::escaped(watch.resource_version);
  }
  return query;
}

}  // namespace nlc::informer

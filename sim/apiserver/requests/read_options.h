#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/apiserver/registry/selectors.h"
#include "sim/apiserver/requests/request_info.h"

/// The options of gets, lists and watches, read and judged as the real server does
/// (spec/api-server.md "List", spec/api-server.md "Watch").
namespace nlc::sim {

enum class VersionMatch : std::uint8_t { Unset, Exact, NotOlderThan };

/// Where a paged list goes on.
struct Continuation {
  std::int64_t version = 0;  ///< -1: from whatever is newest
  std::string after;         ///< the last key served, relative to the list's prefix
};

std::string continue_token(const Continuation& continuation);
Outcome<Continuation> read_continue_token(std::string_view token);

struct ReadOptions {
  Selection selection;
  std::optional<std::uint64_t> version;  ///< as asked for; unset: the newest state
  VersionMatch match = VersionMatch::Unset;
  std::size_t limit = 0;  ///< 0: none
  std::optional<Continuation> continuation;
  bool bookmarks = false;
  std::optional<bool> initial_events;
  std::optional<Duration> timeout;

  /// This version must have been reached before the read can be answered.
  std::uint64_t awaited_version() const;
};

Outcome<ReadOptions> list_options(const RequestInfo& info);
Outcome<ReadOptions> watch_options(const RequestInfo& info);

/// The resourceVersion of a get.
Outcome<std::optional<std::uint64_t>> get_version(const RequestInfo& info);

}  // namespace nlc::sim

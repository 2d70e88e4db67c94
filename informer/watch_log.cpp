#include "informer/watch_log.h"

#include <optional>

#include "runtime/utf8.h"

namespace nlc::informer {

std::string beginning_of(std::string_view text) {
  constexpr std::size_t shown = 300;
  if (text.size() <= shown) return std::string(text);
  return std::string(whole_characters(text, shown)) + "...";
}

void WatchLog::interrupted(std::string_view reason, const std::string& error, Instant now) {
  const std::uint64_t untold = interrupted_.untold();
  if (!interrupted_.met(reason, now)) return;
  log_.warning("watch interrupted", {{"resource", kind_},
                                     {"reason", std::string(reason)},
                                     {"error", error},
                                     {"untold", std::to_string(untold)}});
}

void WatchLog::unreadable(std::string_view part, std::string_view problem, Instant now) {
  last_unreadable_ = now;
  const std::uint64_t untold = unreadable_.untold();
  if (!unreadable_.met(part, now)) return;
  log_.error("object skipped, it cannot be read", {{"resource", kind_},
                                                   {"problem", beginning_of(problem)},
                                                   {"untold", std::to_string(untold)}});
}

void WatchLog::readable_events(Instant now) {
  if (unreadable_.lasts() && now >= last_unreadable_ + calm) {
    tell_over(unreadable_, readable_again, now);
  }
}

void WatchLog::tell_over(Trouble& trouble, std::string_view message, Instant now) {
  if (!trouble.lasts()) return;
  const std::optional<Duration> lasted = trouble.over(now);
  if (!lasted) return;
  const auto seconds = std::chrono::round<std::chrono::seconds>(*lasted).count();
  log_.info(message, {{"resource", kind_}, {"after", std::to_string(seconds) + "s"}});
}

}  // namespace nlc::informer

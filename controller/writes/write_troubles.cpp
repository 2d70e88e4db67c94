#include "controller/writes/write_troubles.h"

#include <optional>
#include <utility>

#include "runtime/go_duration.h"

namespace nlc::controller {
namespace {

std::string_view refusal_of(metrics::Queue queue) {
  if (queue == metrics::Queue::PodEvictions) return "eviction refused";
  return queue == metrics::Queue::PodMarks ? "pod write refused" : "node write refused";
}

std::string_view end_of(metrics::Queue queue) {
  if (queue == metrics::Queue::PodEvictions) return "evictions taken again";
  return queue == metrics::Queue::PodMarks ? "pod writes taken again" : "node writes taken again";
}

}  // namespace

void WriteTroubles::refused(metrics::Queue queue, const LogField& object, const Error& error,
                            Instant now) {
  met(queue, name_of(error.fault), {std::string(refusal_of(queue)), object, {"error", error.path}},
      now);
}

void WriteTroubles::undone(metrics::Queue queue, const LogField& object, const std::string& what,
                           Instant now) {
  met(queue, "undone", {"write undone by somebody", object, {"write", what}}, now);
}

void WriteTroubles::met(metrics::Queue queue, std::string_view kind, Line line, Instant now) {
  QueueTrouble& known = of(queue);
  const std::uint64_t others = known.trouble.untold();
  if (!known.trouble.met(kind, now)) return;
  known.last = std::move(line);
  log(known.last, others);
}

void WriteTroubles::log(const Line& line, std::uint64_t others) {
  log_.warning(line.message, {line.object, line.why, {"untold_refusals", std::to_string(others)}});
}

void WriteTroubles::follow(metrics::Queue queue, std::size_t troubled, Instant now) {
  QueueTrouble& known = of(queue);
  const std::uint64_t others = known.trouble.untold();
  if (troubled > 0) {
    if (known.trouble.remind(now)) log(known.last, others);
    return;
  }
  if (!known.trouble.lasts()) return;
  if (const std::optional<Duration> lasted = known.trouble.over(now)) {
    const auto shown = std::chrono::round<std::chrono::milliseconds>(*lasted);
    log_.info(end_of(queue), {{"after", go_duration(shown)}});
  }
}

}  // namespace nlc::controller

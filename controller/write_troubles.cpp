#include "controller/write_troubles.h"

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
  Trouble& trouble = this->trouble(queue);
  const std::string others = std::to_string(trouble.untold());
  if (!trouble.met(name_of(error.fault), now)) return;
  log_.warning(refusal_of(queue),
               {{object.key, object.value}, {"error", error.path}, {"untold_refusals", others}});
}

void WriteTroubles::undone(metrics::Queue queue, const LogField& object, const std::string& what,
                           Instant now) {
  Trouble& trouble = this->trouble(queue);
  const std::string others = std::to_string(trouble.untold());
  if (!trouble.met("undone", now)) return;
  log_.warning("write undone by somebody",
               {{object.key, object.value}, {"write", what}, {"untold_refusals", others}});
}

void WriteTroubles::follow(metrics::Queue queue, std::size_t wanted, Instant now) {
  Trouble& trouble = this->trouble(queue);
  if (wanted > 0 || !trouble.lasts()) return;
  if (const std::optional<Duration> lasted = trouble.over(now)) {
    const auto shown = std::chrono::round<std::chrono::milliseconds>(*lasted);
    log_.info(end_of(queue), {{"after", go_duration(shown)}});
  }
}

}  // namespace nlc::controller

#include "sim/scenario/reading/read_checks.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "controller/why/question.h"
#include "sim/scenario/reading/read_check_kinds.h"
#include "sim/scenario/reading/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

/// Two replicas may well say different things.
std::string asked_of(const std::optional<std::string>& replica) {
  return replica && !replica->empty() ? "replica " + *replica + " " : "";
}

void read_zone(Fields& fields, Check& check) {
  ZoneCheck zone{.replica = fields.given_text("replica"),
                 .key = zone_in(fields),
                 .state = fields.need_text("state")};
  check.subjects.insert(asked_of(zone.replica) + "zone " + zone.key);
  check.what = std::move(zone);
}

void read_health(Fields& fields, Check& check) {
  HealthLineCheck line{.replica = fields.given_text("replica"),
                       .name = fields.need_text("check"),
                       .ok = fields.truth("ok"),
                       .detail_has = fields.text("detail_has")};
  if (!line.ok && line.detail_has.empty()) {
    fields.refuse("neither", "ok or detail_has");
  }
  check.subjects.insert(asked_of(line.replica) + "health " + line.name);
  check.what = std::move(line);
}

void read_metric(Fields& fields, Check& check) {
  MetricCheck metric{.replica = fields.given_text("replica"), .name = fields.need_text("name")};
  if (const Yaml& zone = fields.find("zone"); zone.is_defined()) {
    const auto [region, name] = pair_in(zone, "[region, zone]");
    metric.labels["zone"] = zone_key(scalar_text(region, "a region"), scalar_text(name, "a zone"));
  }
  if (const Yaml& labels = fields.find("labels"); labels.is_defined()) {
    metric.labels.merge(labels_of(labels));
  }
  metric.exists = fields.truth("exists").value_or(true);
  if (metric.exists) metric.value = amount_of(fields.need("value"));
  check.subjects.insert(asked_of(metric.replica) + "metric " + metric.name + " " +
                        nlohmann::json(metric.labels).dump());
  check.what = std::move(metric);
}

/// Of `node`, `pod` and `zone` one says what is asked about; `next: true` asks what comes.
controller::why::Question question_in(Fields& fields) {
  std::optional<controller::why::Question> question;
  for (const char* kind : {"node", "pod", "zone"}) {
    if (!fields.has(kind)) continue;
    const auto read = controller::why::question_of(kind, fields.text(kind));
    if (!read) throw Malformed{fields.line(), read.error().path};
    if (question) fields.refuse("two", "one of node, pod or zone");
    question = *read;
  }
  if (fields.truth("next").value_or(false) == question.has_value()) {
    throw Malformed{fields.line(), "exactly one of node, pod, zone or next: true expected"};
  }
  return question.value_or(controller::why::Question{});
}

void read_why(Fields& fields, Check& check) {
  WhyCheck why{.replica = fields.given_text("replica"),
               .question = question_in(fields),
               .state = fields.text("state"),
               .says = fields.texts("says"),
               .lacks = fields.texts("lacks")};
  why.text = fields.given_text("text");
  if (why.state.empty() && why.says.empty() && why.lacks.empty() && !why.text) {
    fields.refuse("nothing", "state, says, lacks or text");
  }
  check.subjects.insert(asked_of(why.replica) + "why " + controller::why::path_of(why.question));
  check.what = std::move(why);
}

void read_leaders(Fields& fields, Check& check) {
  LeadersCheck leaders{.replica = fields.given_text("replica"),
                       .leads = fields.truth("leads").value_or(true),
                       .count = fields.amount("count")};
  if (!leaders.replica && !leaders.count) fields.refuse("neither", "count or replica");
  check.subjects.insert("leaders");
  check.what = std::move(leaders);
}

void read_controllers(Fields& fields, Check& check) {
  ControllersCheck controllers{.running = fields.texts("running"),
                               .not_running = fields.texts("not_running")};
  for (const auto* names : {&controllers.running, &controllers.not_running}) {
    for (const std::string& name : *names) {
      if (name == "node-lifecycle-controller" || name == "taint-eviction-controller") continue;
      fields.refuse("the controller " + name,
                    "node-lifecycle-controller or taint-eviction-controller");
    }
  }
  check.what = std::move(controllers);
}

void read_delay(Fields& fields, Check& check) {
  check.what = DelayCheck{.from = fact_of(fields.need("from")),
                          .to = fact_of(fields.need("to")),
                          .max = fields.need_span("max")};
}

constexpr std::array<CheckKind, 7> other_kinds{{{"zone", read_zone},
                                                {"why", read_why},
                                                {"health", read_health},
                                                {"metric", read_metric},
                                                {"leaders", read_leaders},
                                                {"controllers", read_controllers},
                                                {"delay", read_delay}}};

When when_of(const Yaml& node, Problems& problems) {
  struct Word {
    const char* key;
    When::Kind kind;
  };
  constexpr std::array<Word, 4> words{{{"holds", When::Kind::Holds},
                                       {"becomes", When::Kind::Becomes},
                                       {"at", When::Kind::At},
                                       {"counted_in", When::Kind::CountedIn}}};
  Fields fields(node, "a when", problems);
  for (const Word& word : words) {
    const Yaml& span = fields.find(word.key);
    if (!span.is_defined()) continue;
    fields.finish();
    const auto [from, until] = word.kind == When::Kind::At
                                   ? std::pair<const Yaml&, const Yaml&>(span, span)
                                   : pair_in(span, "[from, until]");
    const When when{.kind = word.kind, .from = duration_of(from), .until = duration_of(until)};
    if (when.from < Duration{0}) refuse(span, "no moment before 0s");
    if (when.from > when.until) refuse(span, "from before until");
    return when;
  }
  refuse(node, "holds, becomes, at or counted_in");
}

/// Whether nothing that it says could be otherwise.
bool asks_nothing(const Check& check) {
  if (const auto* node = std::get_if<NodeCheck>(&check.what)) {
    return check.subjects.empty() && node->status.is_null();
  }
  if (std::holds_alternative<PodCheck>(check.what)) return check.subjects.empty();
  const auto* controllers = std::get_if<ControllersCheck>(&check.what);
  return controllers != nullptr && controllers->running.empty() && controllers->not_running.empty();
}

void read_check(const CheckKind& kind, const Yaml& node, Check& check, Problems& problems) {
  const std::size_t known = problems.found.size();
  Fields fields(node, kind.key, problems);
  kind.read(fields, check);
  fields.finish();
  // A key that is not known says more of what is wrong.
  if (problems.found.size() > known || !asks_nothing(check)) return;
  problems.add(fields.line(), flow_text(node) + " found, something that is asked of it expected");
}

/// One for each kind that the map names.
std::vector<Check> checks_of(const Yaml& node, Problems& problems) {
  const Check blank{.what = ProcessCheck{}, .text = flow_text(node)};
  Fields fields(node, "a check", problems);
  std::vector<Check> checks;
  for (const std::span<const CheckKind> some :
       {object_checks(), count_checks(), std::span<const CheckKind>(other_kinds)}) {
    for (const CheckKind& kind : some) {
      const Yaml& found = fields.find(kind.key);
      if (found.is_defined()) read_check(kind, found, checks.emplace_back(blank), problems);
    }
  }
  if (fields.has("request_sequence")) {
    some_of(fields.find("request_sequence"), "a request such as GET pods/app");
    checks.emplace_back(blank).what = SequenceCheck{fields.texts("request_sequence")};
  }
  if (fields.has("rules")) {
    checks.emplace_back(blank).what = RulesCheck{};
    if (fields.text("rules") != "kept") fields.refuse(blank.text, "{rules: kept}");
  }
  if (const auto quiet = fields.span("settled")) {
    checks.emplace_back(blank).what = SettledCheck{*quiet};
  }
  if (fields.has("process")) {
    checks.push_back(blank);
    if (fields.text("process") != "alive") fields.refuse(blank.text, "{process: alive}");
  }
  fields.finish();
  if (checks.empty()) problems.add(node.line, blank.text + " found, a check expected");
  return checks;
}

Expectation expectation_of(const Yaml& node, Problems& problems) {
  Fields fields(node, "an expectation", problems);
  Expectation expectation{.when = when_of(fields.need("when"), problems),
                          .only_for = fields.text("only_for"),
                          .line = fields.line()};
  const Yaml& that = fields.need("that");
  for (const Yaml& check : some_of(that, "a check")) {
    std::ranges::move(checks_of(check, problems), std::back_inserter(expectation.that));
  }
  fields.finish();
  return expectation;
}

}  // namespace

std::vector<Expectation> expectations_of(const Yaml& list, Problems& problems) {
  std::vector<Expectation> expectations;
  for (const Yaml& node : each_of(list)) {
    expectations.push_back(expectation_of(node, problems));
  }
  return expectations;
}

}  // namespace nlc::sim::scenario

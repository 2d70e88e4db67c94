#include <array>

#include "sim/scenario/reading/read_check_kinds.h"
#include "sim/scenario/reading/read_steps.h"
#include "sim/scenario/reading/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

/// `{max: N}`, of a stretch whose length the key says, or `{span: 10s, max: N}`.
Rate rate_of(const Yaml& node, std::optional<Duration> span, Problems& problems) {
  Fields fields(node, "a rate", problems);
  const Amount most = amount_of(fields.need("max"));
  const Rate rate{.span = span ? *span : fields.need_span("span"), .max = most.max};
  fields.finish();
  return rate;
}

std::vector<Rate> rates_in(Fields& fields) {
  struct Word {
    const char* key;
    std::optional<Duration> span;
  };
  const std::array<Word, 3> words{{{"per_second", std::chrono::seconds(1)},
                                   {"per_minute", std::chrono::minutes(1)},
                                   {"in_any", std::nullopt}}};
  std::vector<Rate> rates;
  for (const Word& word : words) {
    const Yaml& rate = fields.find(word.key);
    if (rate.is_defined()) rates.push_back(rate_of(rate, word.span, fields.problems()));
  }
  return rates;
}

void read_requests(Fields& fields, Check& check) {
  RequestCheck requests{.requests = request_filter_of(fields), .rates = rates_in(fields)};
  if (requests.rates.empty()) fields.need("count");
  requests.count = fields.amount("count");
  requests.per_pass = fields.amount("per_pass");
  requests.after = fields.duration("after");
  requests.content_type = fields.text("content_type");
  requests.body = json_of(fields.find("body"));
  requests.body_has = fields.texts("body_has");
  requests.body_lacks = fields.texts("body_lacks");
  fields.choice<bool>("by", "by: ", {{"controller", true}});
  check.what = std::move(requests);
}

void read_events(Fields& fields, Check& check) {
  EventCheck events;
  events.reason = fields.given_text("reason").value_or("*");
  events.object = fields.given_text("object").value_or("*");
  for (const char* key : {"type", "message"}) {
    if (fields.has(key)) events.fields.emplace(key, wish_of(fields.find(key)));
  }
  events.component = fields.text("component");
  events.uid = fields.given_text("uid");
  events.namespace_name = fields.text("namespace");
  events.object_fields = fields.wishes("object_fields");
  for (auto& [key, wish] : events.object_fields) {
    if (wish.value.is_string()) wish.value = without_remark(wish.value.get<std::string>());
  }
  events.count = amount_of(fields.need("count"));
  check.what = std::move(events);
}

void read_evictions(Fields& fields, Check& check) {
  const std::string key = zone_in(fields);
  check.what = EvictionCheck{.key = key, .nodes = amount_of(fields.need("nodes"))};
}

void read_pods_evicted(Fields& fields, Check& check) {
  check.what = PodsEvictedCheck{.nodes = fields.texts("node"),
                                .names = fields.texts("name"),
                                .count = amount_of(fields.need("count"))};
}

void read_log(Fields& fields, Check& check) {
  check.what = LogCheck{.replica = fields.given_text("replica"),
                        .message = fields.need_text("message"),
                        .level = fields.choice<LogLevel>("level", "the level ",
                                                         {{"debug", LogLevel::Debug},
                                                          {"info", LogLevel::Info},
                                                          {"warning", LogLevel::Warning},
                                                          {"error", LogLevel::Error}}),
                        .count = amount_of(fields.need("count"))};
}

constexpr std::array<CheckKind, 5> count_kinds{{{"requests", read_requests},
                                                {"events", read_events},
                                                {"evictions", read_evictions},
                                                {"pods_evicted", read_pods_evicted},
                                                {"log", read_log}}};

}  // namespace

std::span<const CheckKind> count_checks() { return count_kinds; }

std::string zone_key(const std::string& region, const std::string& zone) {
  if (region.empty() && zone.empty()) return {};
  return region + ":" + std::string(1, '\0') + ":" + zone;
}

std::string zone_in(Fields& fields) { return zone_key(fields.text("region"), fields.text("zone")); }

}  // namespace nlc::sim::scenario

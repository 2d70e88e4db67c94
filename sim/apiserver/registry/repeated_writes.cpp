#include "sim/apiserver/registry/repeated_writes.h"

#include <algorithm>

#include "runtime/time.h"

namespace nlc::sim {
namespace {

constexpr std::string_view end_of_value = "\\\"";  // also where it stands in JSON within a string

/// Digits where the other has digits and all else alike: spelled like a time that was read.
bool spelled_alike(std::string_view time, std::string_view other) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::ranges::equal(time, other, [&](char one, char two) {
    return one == two || (is_digit(one) && is_digit(two));
  });
}

}  // namespace

ObjectRef RepeatedWrites::repeat(const Resource& resource, std::string_view key,
                                 std::string_view body) {
  const auto found = last_[resource.id].find(key);
  if (found == last_[resource.id].end()) return nullptr;
  Write& last = found->second;
  if (storage_.find(resource, key) != last.after) return nullptr;
  const auto [version, time] = values_in(body, last);
  if (version != std::to_string(last.after->version)) return nullptr;
  const std::string_view text = last.body;
  const std::string_view before = text.substr(last.time.begin, last.time.end - last.time.begin);
  if (time == before || !spelled_alike(time, before) || !parse_rfc3339(time)) return nullptr;

  const std::string_view name = text.substr(last.renewal, last.time.begin - last.renewal);
  ObjectRef after = storage_.amend(resource, key, std::string(name).append(before),
                                   std::string(name).append(time));
  if (!after) return nullptr;
  const std::size_t longer = version.size() - (last.version.end - last.version.begin);
  if (last.version.begin < last.time.begin) {
    for (std::size_t* at : {&last.time.begin, &last.time.end, &last.renewal}) *at += longer;
  }
  last.version.end += longer;
  last.body = body;
  last.after = after;
  return after;
}

void RepeatedWrites::taken(const Resource& resource, std::string body, const ObjectRef& after) {
  constexpr std::string_view version = "resourceVersion";
  constexpr std::string_view time = "renewTime";
  Write last{.body = std::move(body)};
  last.version = value_after(last.body, version);
  last.time = value_after(last.body, time);
  last.renewal = last.body.find(time);
  // What the body says has to be what the object has under these names, and under no others.
  const Span kept = value_after(after->bytes, time);
  const bool of_lock = last.version.end > 0 && last.time.end > 0 && kept.end > 0 &&
                       value_after(after->bytes, version).end > 0;
  if (!of_lock) return;
  last.after = after;
  last_[resource.id].insert_or_assign(after->key, std::move(last));
}

/// Of the string that follows that name; empty when the name is not there, or twice.
RepeatedWrites::Span RepeatedWrites::value_after(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == text.npos || text.find(name, at + 1) != text.npos) return {};
  const std::size_t colon = text.find(':', at);
  if (colon == text.npos) return {};
  const std::size_t begin = text.find_first_not_of(end_of_value, colon + 1);
  if (begin == text.npos || begin == colon + 1) return {};
  return {.begin = begin, .end = std::min(text.find_first_of(end_of_value, begin), text.size())};
}

RepeatedWrites::Values RepeatedWrites::values_in(std::string_view body, const Write& last) {
  const bool version_first = last.version.begin < last.time.begin;
  const Span& first = version_first ? last.version : last.time;
  const Span& second = version_first ? last.time : last.version;
  const std::string_view text = last.body;
  const std::string_view head = text.substr(0, first.begin);
  const std::string_view middle = text.substr(first.end, second.begin - first.end);
  if (!body.starts_with(head)) return {};
  body.remove_prefix(head.size());
  const std::string_view one = body.substr(0, body.find_first_of(end_of_value));
  body.remove_prefix(one.size());
  if (!body.starts_with(middle)) return {};
  body.remove_prefix(middle.size());
  const std::string_view two = body.substr(0, body.find_first_of(end_of_value));
  if (body.substr(two.size()) != text.substr(second.end)) return {};
  return version_first ? Values{.version = one, .time = two} : Values{.version = two, .time = one};
}

}  // namespace nlc::sim

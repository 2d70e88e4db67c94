#include "sim/apiserver/requests/request_info.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/words.h"

namespace nlc::sim {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Of the decoded path. Empty ones within count: "namespaces//pods" are those of all namespaces.
std::vector<std::string> segments_of(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  std::vector<std::string> parts;
  parts.reserve(8);  // the path of a subresource has so many
  for (const std::string_view part : split(path, '/')) parts.emplace_back(part);
  return parts;
}

std::string verb_of(std::string_view method, const RequestInfo& info) {
  const bool one = !info.name.empty();
  if (method == "GET" || method == "HEAD") {
    if (one) return "get";
    return method == "GET" && info.query.is_true("watch") ? "watch" : "list";
  }
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return one ? "delete" : "deletecollection";
  return std::string(method);
}

/// Reads what follows the group and version: [namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE]]. False
/// when the kind has no such address: of a cluster or of a namespace, or nothing behind it.
bool read_resource(std::vector<std::string> parts, std::size_t at, RequestInfo& info) {
  const auto take = [&parts](std::size_t index) {
    return index < parts.size() ? std::move(parts[index]) : std::string();
  };
  // "namespaces/x/status" and "namespaces/x/finalize" are about the namespace itself.
  const bool within = parts.size() > at + 2 && parts[at] == "namespaces" &&
                      parts[at + 2] != "status" && parts[at + 2] != "finalize";
  if (within) {
    info.namespace_name = take(at + 1);
    at += 2;
  }
  info.resource = take(at);
  info.name = take(at + 1);
  info.subresource = take(at + 2);
  info.known = find_resource(info.group, info.version, info.resource);
  if (!within && info.resource == "namespaces") info.namespace_name = info.name;
  if (info.known == nullptr || parts.size() > at + 3) return false;
  return info.known->namespaced ? within || info.name.empty() : !within;
}

/// Decodes %41 and, in queries, '+'.
std::string percent_decoded(std::string_view text, bool plus_is_space) {
  if (text.find('%') == text.npos && text.find('+') == text.npos) return std::string(text);
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                        hex_digit(text[i + 2]) >= 0;
    if (escape) {
      result.push_back(static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])));
      i += 2;
    } else {
      result.push_back(plus_is_space && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return result;
}

}  // namespace

Query::Query(std::string_view text) {
  for (const std::string_view pair : split(text, '&')) {
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
    values_.emplace(percent_decoded(pair.substr(0, equals), true), percent_decoded(value, true));
  }
}

std::string_view Query::get(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string_view{} : std::string_view(found->second);
}

bool Query::is_true(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() && found->second != "0" &&
         !absl::EqualsIgnoreCase(found->second, "false");
}

RequestInfo request_info(std::string_view method, std::string_view target) {
  RequestInfo info;
  const std::size_t mark = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, mark);
  info.path = percent_decoded(path, false);
  if (mark < target.size()) info.query = Query(target.substr(mark + 1));

  std::vector<std::string> parts = segments_of(info.path);
  bool is_address = false;
  if (parts.size() > 2 && parts[0] == "api") {
    info.version = std::move(parts[1]);
    is_address = read_resource(std::move(parts), 2, info);
  } else if (parts.size() > 3 && parts[0] == "apis") {
    info.group = std::move(parts[1]);
    info.version = std::move(parts[2]);
    is_address = read_resource(std::move(parts), 3, info);
  }
  if (!is_address) info.known = nullptr;
  if (info.resource.empty()) {
    info.verb = absl::AsciiStrToLower(std::string(method));
    return info;
  }
  info.verb = verb_of(method, info);
  return info;
}

}  // namespace nlc::sim

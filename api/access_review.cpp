#include "api/access_review.h"

#include <nlohmann/json.hpp>

#include "api/json_fields.h"

namespace nlc::api {
namespace {

/// What a caller wrote may be no UTF-8, and is then somebody whom the server does not know.
std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<std::string> texts(JsonElement parent, std::string_view name) {
  std::vector<std::string> found;
  each(parent, name, [&](JsonElement element) {
    std::string_view value;
    if (element.get(value) != simdjson::SUCCESS) throw WrongType(name);
    found.emplace_back(value);
  });
  return found;
}

User read_user(JsonElement json) {
  User user{.name = std::string(text(json, "username")),
            .uid = std::string(text(json, "uid")),
            .groups = texts(json, "groups")};
  const std::optional<JsonElement> extra = field(json, "extra");
  simdjson::dom::object keys;
  if (!extra) return user;
  if (extra->get(keys) != simdjson::SUCCESS) throw WrongType("extra");
  for (const auto& [key, values] : keys) user.extra[std::string(key)] = texts(*extra, key);
  return user;
}

/// What `read` makes of the status of an object of that kind.
template <typename T, typename Read>
Result<T> of_status(const std::string& body, std::string_view kind, Read read) try {
  simdjson::dom::parser parser;
  JsonElement root;
  if (const auto error = parser.parse(body).get(root); error != simdjson::SUCCESS) {
    return Error{Fault::Malformed, simdjson::error_message(error)};
  }
  const std::optional<JsonElement> status = field(root, "status");
  if (text(root, "kind") != kind || !status) {
    return Error{Fault::Malformed, "no " + std::string(kind) + " with a status"};
  }
  return read(*status);
} catch (const std::runtime_error& problem) {
  return Error{Fault::Malformed, problem.what()};
}

}  // namespace

std::string encode_token_review(std::string_view token) {
  return dumped({{"kind", "TokenReview"},
                 {"apiVersion", "authentication.k8s.io/v1"},
                 {"spec", {{"token", token}}}});
}

Result<std::optional<User>> decode_token_review(const std::string& body) {
  using Answer = std::optional<User>;
  return of_status<Answer>(body, "TokenReview", [](JsonElement status) -> Result<Answer> {
    if (!boolean(status, "authenticated")) return Answer();
    const std::optional<JsonElement> user = field(status, "user");
    if (!user || text(*user, "username").empty()) {
      return Error{Fault::Malformed, "a TokenReview that names nobody"};
    }
    return Answer(read_user(*user));
  });
}

std::string encode_access_review(const AccessQuestion& question) {
  const User& user = question.user;
  nlohmann::ordered_json spec{
      {"nonResourceAttributes", {{"path", question.path}, {"verb", question.verb}}},
      {"user", user.name}};
  if (!user.groups.empty()) spec["groups"] = user.groups;
  if (!user.extra.empty()) spec["extra"] = user.extra;
  if (!user.uid.empty()) spec["uid"] = user.uid;
  return dumped({{"kind", "SubjectAccessReview"},
                 {"apiVersion", "authorization.k8s.io/v1"},
                 {"spec", std::move(spec)}});
}

Result<bool> decode_access_review(const std::string& body) {
  return of_status<bool>(body, "SubjectAccessReview", [](JsonElement status) -> Result<bool> {
    return boolean(status, "allowed") && !boolean(status, "denied");
  });
}

}  // namespace nlc::api

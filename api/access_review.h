#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/result.h"

/// What is said of somebody who calls: a TokenReview of `authentication.k8s.io/v1` asks who it is,
/// a SubjectAccessReview of `authorization.k8s.io/v1` whether that one may.
namespace nlc::api {

/// As the server knows somebody; all of it is part of whether he may.
struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;

  bool operator==(const User&) const = default;
};

/// May `user` do `verb` with what stands at `path`, which is no resource?
struct AccessQuestion {
  User user;
  std::string verb;
  std::string path;

  bool operator==(const AccessQuestion&) const = default;
};

std::string encode_token_review(std::string_view token);
/// Whose token it is; nobody where the server does not accept it. Malformed when the text is no
/// TokenReview, or names nobody whom it has authenticated.
Result<std::optional<User>> decode_token_review(const std::string& body);

std::string encode_access_review(const AccessQuestion& question);
/// Malformed when the text is no SubjectAccessReview with a status. What is denied as well as
/// allowed is denied.
Result<bool> decode_access_review(const std::string& body);

}  // namespace nlc::api

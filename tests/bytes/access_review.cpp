#include "api/access_review.h"

#include <nlohmann/json.hpp>

#include "readers.h"
#include "rule.h"

namespace nlc::bytes {

/// What the API server says of a caller of our pages.
void read_access_review(std::string_view bytes) {
  const std::string body(bytes);
  must_hold(nlohmann::json::accept(api::encode_token_review(body)),
            "it is asked in JSON whose token that is, whatever it is");
  (void)api::decode_access_review(body);
  const Result<std::optional<api::User>> user = api::decode_token_review(body);
  if (!user || !*user) return;
  must_hold(!(*user)->name.empty(), "whom the server knows has a name");
  const auto asked = nlohmann::json::parse(
      api::encode_access_review({.user = **user, .verb = "get", .path = body}));
  must_hold(asked["spec"]["user"] == (*user)->name, "it is asked about who called");
  must_hold(asked["spec"].value("groups", std::vector<std::string>()) == (*user)->groups,
            "it is asked with all of his groups");
}

}  // namespace nlc::bytes

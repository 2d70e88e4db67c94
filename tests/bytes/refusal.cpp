#include "client/refusal.h"

#include <algorithm>

#include "api/decode.h"
#include "api/simdjson.h"
#include "readers.h"
#include "rule.h"

namespace nlc::bytes {

/// The body of a refusal: a Status in either encoding, or whatever stands in the way.
void read_refusal(std::string_view bytes) {
  const std::string words = client::server_words(bytes);
  must_hold(words.size() <= 400, "a server's words are at most 400 bytes");
  must_hold(simdjson::validate_utf8(words), "a server's words are UTF-8");
  must_hold(std::ranges::none_of(
                words, [](char letter) { return static_cast<unsigned char>(letter) < 0x20; }),
            "a server's words are one line");
  const api::Status status = api::decode_status(bytes);
  must_hold(!status.retry_after || (*status.retry_after >= Duration{0} &&
                                    *status.retry_after <= std::chrono::hours(1)),
            "nobody makes us wait for more than an hour");
  for (const int code : {302, 409, 422, 429, 503, 504}) {
    const Error error =
        client::refusal({.method = "PATCH", .target = "/api/v1/nodes/n"},
                        {.status = code, .content_type = {}, .body = std::string(bytes)});
    must_hold(simdjson::validate_utf8(error.path), "what is told of a refusal is UTF-8");
    must_hold(error.path.find('\n') == std::string::npos, "what is told of a refusal is one line");
  }
}

}  // namespace nlc::bytes

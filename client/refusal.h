#pragma once

#include <string>
#include <string_view>

#include "client/transport.h"
#include "runtime/result.h"

namespace nlc::client {

/// What a status other than 2xx means, told apart by the Status in its body: 409 AlreadyExists from
/// Conflict, the three spellings of "Too large resource version", an overload's plain text
/// (spec/api-server.md "Refusals", spec/api-server.md "Overload", spec/list-watch.md "List"), a
/// PATCH for another uid (422) from a body that is wrong. The path reads "PATCH /api/v1/nodes/n:
/// 409 Conflict: <the server's message>".
///
/// What the server says stands in it as `server_words`.
Error refusal(const Request& request, const Response& response);

/// A server's text as it may stand in an Error, and so in a log: one line of printable UTF-8, at
/// most 400 bytes, and without what looks like credentials (a proxy may send our request back to
/// us).
std::string server_words(std::string_view text);

/// What is told of an accepted answer that could not be read: `why`, which may quote the server, as
/// `server_words` behind the request's method and target.
Error unreadable(const Request& request, Error why);

/// `answer` as it came when it is 2xx, else its refusal; an Error without an answer gets the
/// request's name.
Result<Response> accepted(const Request& request, Result<Response> answer);

}  // namespace nlc::client

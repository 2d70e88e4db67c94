#include <algorithm>
#include <cstring>
#include <string>

#include "net/http_client/response_reader.h"
#include "readers.h"
#include "rule.h"

namespace nlc::bytes {
namespace {

struct Read {
  std::string body;
  std::string problem;
  int status = 0;
  bool complete = false;
};

Read read_in_portions(std::string_view bytes, std::size_t portion) {
  Read read;
  net::ResponseReader reader([&](std::string_view piece) { read.body += piece; });
  while (!bytes.empty() && read.problem.empty() && !reader.is_complete()) {
    const std::span<char> space = reader.space();
    const std::size_t size = std::min({portion, bytes.size(), space.size()});
    std::memcpy(space.data(), bytes.data(), size);
    bytes.remove_prefix(size);
    if (const auto problem = reader.filled(size)) read.problem = problem->what;
  }
  if (read.problem.empty()) {
    if (const auto problem = reader.ended()) read.problem = problem->what;
  }
  read.complete = reader.is_complete();
  if (reader.has_head()) read.status = reader.head().status;
  must_hold(!reader.is_reusable() || read.complete, "only what is over can be used again");
  return read;
}

}  // namespace

/// An API server's answer: the first byte says in which portions it comes.
void read_http_response(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t portion = static_cast<unsigned char>(bytes.front()) % 32U + 1U;
  bytes.remove_prefix(1);
  const Read whole = read_in_portions(bytes, bytes.size());
  const Read parts = read_in_portions(bytes, portion);
  must_hold(whole.complete == parts.complete && whole.problem.empty() == parts.problem.empty(),
            "where an answer is cut changes nothing of whether it is one");
  if (!whole.complete) return;
  must_hold(whole.status == parts.status && whole.body == parts.body,
            "where an answer is cut changes nothing of it");
}

}  // namespace nlc::bytes

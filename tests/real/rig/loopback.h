#pragma once

#include <optional>
#include <string>

namespace nlc::real {

/// A port of 127.0.0.1 that nobody has just now, another one with each call. It lies below the
/// range from which the kernel takes ports for outgoing connections: while the server behind it is
/// down, a client that tries again and again could otherwise be given that port itself, and be
/// connected to itself.
int free_port();

struct Page {
  int status = 0;
  std::string text;
};

/// What stands at http://127.0.0.1:`port``path`; nothing when nobody answers.
std::optional<Page> read_page(int port, const std::string& path);

}  // namespace nlc::real

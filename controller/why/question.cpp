#include "controller/why/question.h"

#include <array>
#include <cctype>
#include <cstdio>
#include <optional>

namespace nlc::controller::why {
namespace {

using Kind = Question::Kind;

constexpr std::string_view root = "/v1/why";
constexpr std::array kinds{Kind::Node, Kind::Pod, Kind::Zone};
/// A namespace and a name, each as long as Kubernetes takes it, and what stands between.
constexpr std::size_t name_max = 512;

std::optional<int> hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  const char low = static_cast<char>(letter | 0x20);
  if (low >= 'a' && low <= 'f') return low - 'a' + 10;
  return std::nullopt;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const std::optional<int> high = hex_digit(text[at + 1]);
    const std::optional<int> low = hex_digit(text[at + 2]);
    if (!high || !low) return std::nullopt;
    out += static_cast<char>(*high * 16 + *low);
    at += 2;
  }
  return out;
}

bool stays_as_it_is(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
         std::string_view("-._~/").find(letter) != std::string_view::npos;
}

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::Next:
      return {};
    case Kind::Node:
      return "node";
    case Kind::Pod:
      return "pod";
    case Kind::Zone:
      return "zone";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

Result<Question> question_of(std::string_view kind, std::string_view name) {
  if (kind.empty()) return Question{};
  for (const Kind known : kinds) {
    if (name_of(known) != kind) continue;
    if (name.empty() || name.size() > name_max) {
      return bad_input("\"" + std::string(kind) + "\" without the name of one; write " +
                       (known == Kind::Node  ? "node NAME"
                        : known == Kind::Pod ? "pod NAMESPACE/NAME"
                                             : "zone REGION/ZONE, and - for nodes without labels"));
    }
    Question question{.kind = known, .name = std::string(name)};
    const bool bare = known == Kind::Pod && name.find('/') == std::string_view::npos;
    if (bare) question.name = "default/" + question.name;
    return question;
  }
  return bad_input("\"" + std::string(kind.substr(0, 64)) +
                   "\" cannot be asked about; there are node, pod and zone");
}

Result<Question> question_of_path(std::string_view path) {
  const Error unknown = bad_input(
      "pages: /v1/why /v1/why/node/NAME /v1/why/pod/NAMESPACE/NAME /v1/why/zone/REGION/ZONE");
  if (!path.starts_with(root)) return unknown;
  path.remove_prefix(root.size());
  if (path.empty() || path == "/") return Question{};
  if (path.front() != '/') return unknown;
  path.remove_prefix(1);
  const std::size_t slash = path.find('/');
  const std::string_view rest =
      slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  const std::optional<std::string> name = decoded(rest);
  if (!name) return bad_input("the name in the path is not well encoded");
  return question_of(path.substr(0, slash), *name);
}

std::string path_of(const Question& question) {
  std::string path(root);
  if (question.kind == Kind::Next) return path;
  path += "/" + std::string(name_of(question.kind)) + "/";
  for (const char letter : question.name) {
    if (stays_as_it_is(letter)) {
      path += letter;
    } else {
      std::array<char, 4> code{};
      std::snprintf(code.data(), code.size(), "%%%02X", static_cast<unsigned char>(letter));
      path += code.data();
    }
  }
  return path;
}

}  // namespace nlc::controller::why

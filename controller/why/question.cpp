#include "controller/why/question.h"

#include <array>
#include <charconv>
#include <optional>

#include "client/resources.h"

namespace nlc::controller::why {
namespace {

using Kind = Question::Kind;

constexpr std::string_view root = "/v1/why";
constexpr std::array kinds{Kind::Node, Kind::Pod, Kind::Zone};
/// A namespace and a name, each as long as Kubernetes takes it, and what stands between.
constexpr std::size_t name_max = 512;

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const char* const code = text.data() + at + 1;
    unsigned char letter = 0;
    if (std::from_chars(code, code + 2, letter, 16).ptr != code + 2) return std::nullopt;
    out += static_cast<char>(letter);
    at += 2;
  }
  return out;
}

std::optional<Kind> kind_named(std::string_view word) {
  for (const Kind kind : kinds) {
    if (word == name_of(kind) || word == std::string(name_of(kind)) + "s") return kind;
  }
  return std::nullopt;
}

std::string_view form_of(Kind kind) {
  switch (kind) {
    case Kind::Next:
      return {};
    case Kind::Node:
      return "node NAME";
    case Kind::Pod:
      return "pod NAMESPACE/NAME";
    case Kind::Zone:
      return "zone REGION/ZONE, and - for nodes without labels";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

bool is_pod(std::string_view name) {
  const std::size_t slash = name.find('/');
  return slash > 0 && slash + 1 < name.size() && slash == name.rfind('/');
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
  const std::size_t slash = kind.find('/');
  if (name.empty() && slash > 0 && slash != kind.npos) {
    return question_of(kind.substr(0, slash), kind.substr(slash + 1));
  }
  const std::optional<Kind> known = kind_named(kind);
  if (!known) {
    return bad_input("\"" + std::string(kind.substr(0, 64)) +
                     "\" cannot be asked about; there are node, pod and zone");
  }
  if (name.size() > name_max) {
    return bad_input("the name behind \"" + std::string(kind) +
                     "\" is too long: " + std::to_string(name.size()) + " bytes, " +
                     std::to_string(name_max) + " at most");
  }
  const std::string form(form_of(*known));
  if (name.empty()) {
    return bad_input("\"" + std::string(kind) + "\" without the name of one; write " + form);
  }
  Question question{.kind = *known, .name = std::string(name)};
  if (*known != Kind::Pod) return question;
  if (name.find('/') == name.npos) question.name = "default/" + question.name;
  if (is_pod(question.name)) return question;
  return bad_input("\"" + question.name + "\" is no name of a pod; write " + form);
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
  const std::string path(root);
  if (question.kind == Kind::Next) return path;
  return path + "/" + std::string(name_of(question.kind)) + "/" +
         client::escaped(question.name, "-._~/");
}

}  // namespace nlc::controller::why

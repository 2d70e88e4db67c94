#include "nlc/why/words.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "controller/why/question.h"
#include "controller/why/render.h"
#include "controller/zones/zone.h"
#include "runtime/utf8.h"

namespace nlc::workbench {
namespace {

using controller::why::Question;

/// "eu/a", as it is told, is what may be meant by "eu/a", "eu" or "a".
bool is_zone_meant(const std::string& told, const std::string& asked) {
  const std::string zone = controller::spelled_zone(told);
  return zone == controller::spelled_zone(asked) || zone.starts_with(asked + "/") ||
         zone.ends_with("/" + asked);
}

bool is_name_meant(const std::string& told, const Question& question) {
  if (question.kind == Question::Kind::Zone) return is_zone_meant(told, question.name);
  return told == question.name;
}

bool is_json_answer(const std::string& body, const Question& question) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("about") || !json["about"].is_object()) return false;
  const auto text = [](const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const bool is_next = question.kind == Question::Kind::Next;
  const std::string kind(is_next ? "next" : controller::why::name_of(question.kind));
  return text(json["about"], "kind") == kind && !text(json, "state").empty() &&
         is_name_meant(text(json["about"], "name"), question);
}

bool is_text_answer(const std::string& body, const Question& question) {
  const std::string title = body.substr(0, body.find('\n'));
  if (question.kind == Question::Kind::Next) return title.starts_with("what comes next: ");
  const std::string kind = std::string(controller::why::name_of(question.kind)) + " ";
  if (question.kind != Question::Kind::Zone) {
    const std::string told = one_line(kind + question.name + ": ");
    return title.starts_with(whole_characters(told, controller::why::line_bytes_max));
  }
  const std::size_t end = title.find(": ");
  return title.starts_with(kind) && end != std::string::npos && end >= kind.size() &&
         is_zone_meant(title.substr(kind.size(), end - kind.size()), one_line(question.name));
}

}  // namespace

bool is_answer(const std::string& body, const Question& question, bool json) {
  const bool is_plain = std::ranges::none_of(
      body, [](unsigned char letter) { return letter < 0x20 && letter != '\n'; });
  return is_plain && (json ? is_json_answer(body, question) : is_text_answer(body, question));
}

std::string last_words(const std::vector<std::string>& lines) {
  constexpr std::array crashes{"panic: ", "fatal error: ", "runtime: "};
  const auto told = std::ranges::find_if(lines, [&](const std::string& line) {
    return std::ranges::any_of(crashes, [&](const char* word) { return line.starts_with(word); });
  });
  if (told != lines.end()) return *told;
  return lines.empty() ? "it said nothing" : lines.back();
}

}  // namespace nlc::workbench

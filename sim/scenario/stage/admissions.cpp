#include "sim/scenario/stage/admissions.h"

#include <algorithm>

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

void remove_taint(Json& object, const TaintName& name) {
  if (!object.contains("spec") || !object["spec"].contains("taints")) return;
  Json& taints = object["spec"]["taints"];
  std::erase_if(taints.get_ref<Json::array_t&>(),
                [&](const Json& taint) { return is_named(taint, name); });
}

/// "status.conditions" as a pointer into an object.
Json::json_pointer pointer_to(std::string path) {
  std::ranges::replace(path, '.', '/');
  return Json::json_pointer("/" + path);
}

void keep_path(const std::string& path, const Json& before, Json& after) {
  const Json::json_pointer at = pointer_to(path);
  if (before.contains(at)) {
    after[at] = before.at(at);
  } else if (after.contains(at)) {
    after.at(at.parent_pointer()).erase(at.back());
  }
}

}  // namespace

bool is_named(const Json& taint, const TaintName& name) {
  return taint.value("key", "") == name.key && taint.value("effect", "") == name.effect &&
         (name.value.empty() || taint.value("value", "") == name.value);
}

void mutate(const Mutation& mutation, const Json* before, Json& after) {
  if (!mutation.merge.is_null()) after.merge_patch(mutation.merge);
  for (const TaintName& taint : mutation.remove_taints) remove_taint(after, taint);
  for (const std::string& label : mutation.remove_labels) {
    if (after["metadata"].contains("labels")) after["metadata"]["labels"].erase(label);
  }
  const Json nothing = Json::object();
  for (const std::string& path : mutation.keep) {
    keep_path(path, before == nullptr ? nothing : *before, after);
  }
}

void Admissions::add(const Admission& admission, Instant until) {
  rules_.push_back({.admission = admission, .until = until, .left = admission.times});
}

bool Admissions::empty() const {
  return std::ranges::none_of(rules_, [this](const Rule& rule) { return in_force(rule); });
}

bool Admissions::mutates() const {
  return std::ranges::any_of(rules_, [this](const Rule& rule) {
    return in_force(rule) && rule.admission.action == Admission::Action::Mutate;
  });
}

bool Admissions::applies(Rule& rule, const SentRequest& write, Writer writer) const {
  if (writer == Writer::SomebodyElse && !rule.admission.of_anybody) return false;
  if (!in_force(rule)) return false;
  if (!matches(rule.admission.requests, write, "")) return false;
  if (rule.left) --*rule.left;
  return true;
}

const Admission* Admissions::against(const SentRequest& write, Writer writer, Delayed delayed) {
  for (Rule& rule : rules_) {
    const Admission::Action action = rule.admission.action;
    if (action == Admission::Action::Mutate) continue;
    if (action == Admission::Action::Delay && delayed == Delayed::Yes) continue;
    if (applies(rule, write, writer)) return &rule.admission;
  }
  return nullptr;
}

void Admissions::mutate(const SentRequest& write, Writer writer, const Json* before, Json& after) {
  for (Rule& rule : rules_) {
    if (rule.admission.action != Admission::Action::Mutate) continue;
    if (applies(rule, write, writer)) {
      scenario::mutate(rule.admission.mutation, before, after);
    }
  }
}

}  // namespace nlc::sim::scenario

#include <algorithm>

#include "controller/rules/taints.h"
#include "tests/conformance/unit_answers.h"
#include "tests/conformance/unit_stand_in.h"
#include "tests/conformance/unit_taint_world.h"
#include "tests/conformance/unit_words.h"

namespace nlc::conformance {
namespace {

using Json = nlohmann::json;

std::vector<api::Taint> taints_in(UnitInput& input, const std::string& key) {
  std::vector<api::Taint> taints;
  for (const std::string& text : input.texts(key)) taints.push_back(taint_named(text));
  return taints;
}

Json planned(const StandInNode& stand_in) {
  const api::Node node = stand_in.node();
  const std::vector<api::Taint> taints =
      controller::planned_taints(node, stand_in.step(), WallTime{});
  return {{"taints", stand_in.names(taints)}, {"changed", taints != node.taints}};
}

/// Of the taints that are asked for, the keys of those that are there.
std::string keys_there(const api::Node& node, const std::vector<api::Taint>& asked) {
  std::string keys;
  for (const api::Taint& taint : asked) {
    if (node.taint(taint.key, taint.effect) == nullptr) continue;
    keys += (keys.empty() ? "" : ",") + taint.key;
  }
  return keys;
}

Json repaired(const StandInNode& stand_in, const std::vector<int>& answers) {
  const TaintWrites writes = let_repair(stand_in.node(), answers);
  const auto patches = std::ranges::count(writes.requests, "PATCH");
  return {{"taints", stand_in.names(writes.taints)},
          {"requests", writes.requests},
          {"requests_patch", patches}};
}

std::vector<int> patch_answers(UnitInput& input) {
  std::vector<int> answers;
  for (const std::string& text : input.texts("patch_responses")) {
    answers.push_back(static_cast<int>(number_in(text)));
  }
  return answers;
}

}  // namespace

Json taint_list_answer(const UnitCase& unit) {
  UnitInput input(unit.input);
  const std::vector<api::Taint> there = taints_in(input, "taints");
  const api::Node node{.name = "node", .taints = there};
  StandInNode stand_in(there);
  for (const api::Taint& taint : taints_in(input, "add")) stand_in.want(taint);
  for (const char* key : {"remove", "delete"}) {
    for (const api::Taint& taint : taints_in(input, key)) stand_in.refuse(taint);
  }
  if (input.has("key")) {
    for (const api::Taint& taint : there) {
      if (taint.key == input.text("key")) stand_in.refuse(taint);
    }
  }
  if (input.has("find")) {
    const api::Taint asked = taint_named(input.text("find"));
    input.finish();
    return node.taint(asked.key, asked.effect) != nullptr;
  }
  if (input.has("check")) {
    const std::vector<api::Taint> asked = taints_in(input, "check");
    input.finish();
    return keys_there(node, asked);
  }
  input.finish();
  return planned(stand_in);
}

Json taint_removal_answer(const UnitCase& unit) {
  UnitInput input(unit.input);
  StandInNode stand_in(taints_in(input, "taints"));
  for (const api::Taint& taint : taints_in(input, "remove")) stand_in.refuse(taint);
  const std::vector<int> answers = patch_answers(input);
  const std::string copy = input.text("caller_copy");
  if (!copy.empty() && copy != "current") {
    throw Unanswerable{
        "no such component: nobody hands a copy of the node to ours; it decides by "
        "what its watch shows"};
  }
  input.finish();
  return repaired(stand_in, answers);
}

Json taint_adding_answer(const UnitCase& unit) {
  UnitInput input(unit.input);
  StandInNode stand_in(taints_in(input, "taints"));
  for (const api::Taint& taint : taints_in(input, "add")) stand_in.want(taint);
  const std::vector<int> answers = patch_answers(input);
  input.finish();
  return repaired(stand_in, answers);
}

}  // namespace nlc::conformance

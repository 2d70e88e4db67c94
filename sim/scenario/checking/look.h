#pragma once

#include <string>

#include "sim/scenario/model/checks.h"
#include "sim/scenario/stage/stage.h"

/// Whether what a check asks for is so.
namespace nlc::sim::scenario {

struct Seen {
  bool holds = false;
  std::string what;  ///< if not: what is there instead
};

/// The stretch in which things are counted; things that are states are looked at now.
struct Span {
  Duration from{0};
  Duration until{0};
};

Seen look(const Check& check, const Stage& stage, Span span);

Seen look_at(const NodeCheck& check, const Stage& stage);
Seen look_at(const PodCheck& check, const Stage& stage);
Seen look_at(const LeaseCheck& check, const Stage& stage);
/// The stage judges by the rules that hold on every day, when an expectation asks for one of these.
Seen look_at(const RulesCheck& check, const Stage& stage);
Seen look_at(const SettledCheck& check, const Stage& stage);

Seen count(const RequestCheck& check, const Stage& stage, Span span);
Seen count(const EventCheck& check, const Stage& stage, Span span);
Seen count(const EvictionCheck& check, const Stage& stage, Span span);
Seen count(const PodsEvictedCheck& check, const Stage& stage, Span span);
Seen count(const LogCheck& check, const Stage& stage, Span span);
Seen count(const SequenceCheck& check, const Stage& stage, Span span);

/// What that field says instead; empty when it says what it should. Null: it is not there.
std::string difference(const nlohmann::json& found, const FieldWish& wish, WallTime start);
/// All fields of one object; the first difference, with the field's name.
std::string difference(const nlohmann::json& found, const FieldWishes& wishes, WallTime start);

/// "0", "12.5", "at least 2".
std::string number_text(double number);
std::string amount_text(const Amount& amount);

}  // namespace nlc::sim::scenario

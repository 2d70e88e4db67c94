#pragma once

#include <nlohmann/json.hpp>

#include "tests/conformance/unit_case.h"

/// What our components say to the input of a unit case, in the words of its output. One function
/// per family of components; each throws `Unanswerable` where there is nothing to ask.
namespace nlc::conformance {

nlohmann::json queue_answer(const UnitCase& unit);          ///< QU: a zone's waiting nodes
nlohmann::json timer_answer(const UnitCase& unit);          ///< TW: countdowns of pods
nlohmann::json deadline_answer(const UnitCase& unit);       ///< MT: deadlines by tolerations
nlohmann::json toleration_answer(const UnitCase& unit);     ///< TO
nlohmann::json zone_key_answer(const UnitCase& unit);       ///< ZK
nlohmann::json exclusion_answer(const UnitCase& unit);      ///< XD
nlohmann::json zone_state_answer(const UnitCase& unit);     ///< ZS
nlohmann::json zone_rate_answer(const UnitCase& unit);      ///< RQ
nlohmann::json health_answer(const UnitCase& unit);         ///< HE
nlohmann::json taint_list_answer(const UnitCase& unit);     ///< TL
nlohmann::json taint_removal_answer(const UnitCase& unit);  ///< TR: seen as a small world
nlohmann::json taint_adding_answer(const UnitCase& unit);   ///< TA: seen as a small world
nlohmann::json flags_answer(const UnitCase& unit);          ///< FL

}  // namespace nlc::conformance

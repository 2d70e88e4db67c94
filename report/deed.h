#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nlc::report {

/// What a controller does about a machine that fell silent.
enum class Deed : std::uint8_t { Unknown, NoSchedule, NoExecute, PodsDeleted, PodsNotReady };

/// In the usual order.
inline constexpr std::array all_deeds{Deed::Unknown, Deed::NoSchedule, Deed::NoExecute,
                                      Deed::PodsNotReady, Deed::PodsDeleted};
constexpr std::size_t index_of(Deed deed) { return static_cast<std::size_t>(deed); }

/// For programs: "no_schedule".
std::string_view name_of(Deed deed);
/// For people: "NoSchedule", "pods deleted".
std::string_view title_of(Deed deed);

}  // namespace nlc::report

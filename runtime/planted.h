#pragma once

#include <span>
#include <string_view>

namespace nlc {

/// A mistake that is built in on purpose, so that it can be seen that the fuzzer finds such
/// mistakes (docs/fuzz.md). Only where `NLC_PLANTED` is on, which no program that ships is built
/// with; elsewhere the compiler takes `planted` out.
struct Mistake {
  std::string_view name;
  std::string_view what;  ///< what goes wrong by it
};

#ifdef NLC_PLANTED

std::span<const Mistake> mistakes();
/// From now on this process makes that one mistake, or none for an empty name. Before any thread.
void plant(std::string_view name);
/// Whether that mistake is made.
bool planted(std::string_view name);

#else

inline std::span<const Mistake> mistakes() { return {}; }
inline void plant(std::string_view) {}
constexpr bool planted(std::string_view) { return false; }

#endif

}  // namespace nlc

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "informer/reflector_state.h"
#include "runtime/time.h"

namespace nlc::controller {

/// How one watch stands. One that is not kept has never listed anything.
struct WatchProgress {
  std::string_view version;    ///< how far it has come; empty before its first list is complete
  std::uint64_t applied = 0;   ///< changes that it has brought
  std::uint64_t lists = 0;     ///< complete ones
  std::uint64_t rewinds = 0;   ///< lists that were older than what had been seen
  std::uint64_t restarts = 0;  ///< streams and lists that were left, for whatever reason
  std::uint64_t restarts_at_list = 0;  ///< how many there were at the end of the last list
  std::uint64_t breaks = 0;            ///< of these, those that were no orderly end
  std::uint64_t breaks_at_list = 0;
  std::uint64_t expired = 0;  ///< the history to go on with was gone, or was not asked for
  Instant last_heard;
  Instant last_change;  ///< change or complete list: a held stream may still be opened, and say
                        ///< where it is
  std::optional<Instant> left = {};    ///< none has been open since
  bool broke_off = false;              ///< the last one did
  Instant gap_ended = Instant::min();  ///< a stream was opened after none for a while
  bool synced = false;
  bool open = false;  ///< its stream is, and was accepted

  /// None is, since one broke off or for so long that the server may have been restored.
  bool is_gap(Instant now) const { return informer::is_gap(left, broke_off, now); }
};

enum class Watched : std::uint8_t { Nodes, Leases, Pods };
inline constexpr std::array all_watched{Watched::Nodes, Watched::Leases, Watched::Pods};

/// One of each watch.
template <typename T>
struct PerWatch {
  T nodes{};
  T leases{};
  T pods{};

  T& operator[](Watched what) { return this->*member_for(what); }
  const T& operator[](Watched what) const { return this->*member_for(what); }
  bool operator==(const PerWatch&) const = default;

 private:
  static T PerWatch::*member_for(Watched what) {
    if (what == Watched::Nodes) return &PerWatch::nodes;
    return what == Watched::Leases ? &PerWatch::leases : &PerWatch::pods;
  }
};

/// As metrics and logs name it.
inline std::string_view name_of(Watched what) {
  constexpr PerWatch<std::string_view> names{.nodes = "nodes", .leases = "leases", .pods = "pods"};
  return names[what];
}

/// The watches that the view of the cluster comes by, borrowed as the view is.
class Watches {
 public:
  virtual ~Watches() = default;
  virtual WatchProgress progress(Watched what) const = 0;

  bool any_gap(Instant now) const {
    return std::ranges::any_of(all_watched,
                               [&](Watched what) { return progress(what).is_gap(now); });
  }

  /// The stream of leases is open, and has come to the end of the list that it began with: it would
  /// have shown what was renewed before a read of them that is answered now.
  bool stream_is_witness() const {
    const WatchProgress leases = progress(Watched::Leases);
    return leases.synced && leases.open && !leases.version.empty();
  }
};

}  // namespace nlc::controller

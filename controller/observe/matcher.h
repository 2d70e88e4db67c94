#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/observe/change.h"
#include "runtime/time.h"

namespace nlc::controller::observe {

/// Whether ours and whoever acts have done the same.
enum class Agreement : std::uint8_t { Agree, OnlyOurs, OnlyTheirs };
inline constexpr std::array agreements{Agreement::Agree, Agreement::OnlyOurs,
                                       Agreement::OnlyTheirs};
std::string_view name_of(Agreement agreement);

/// The class of a disagreement.
enum class Cause : std::uint8_t {
  Held,              ///< the API server was paused, or what was seen of it was stale: ours waited
  AtTheDeadline,     ///< ours acts in the moment, theirs with its next pass
  QueueOrder,        ///< another node of the zone had the turn
  UpstreamDefect,    ///< `Why::defect` names it
  PausedByOperator,  ///< ours was told to wait
  ObjectGone,        ///< before both could have
  Unexplained
};
inline constexpr std::array causes{
    Cause::Held,           Cause::AtTheDeadline,    Cause::QueueOrder,
    Cause::UpstreamDefect, Cause::PausedByOperator, Cause::ObjectGone,
    Cause::Unexplained};
std::string_view name_of(Cause cause);

struct Why {
  Cause cause = Cause::Unexplained;
  std::string_view defect = {};  ///< of docs/defects.md: "D-TE-1"
};

/// What became of one change.
struct Finding {
  Change change;
  Agreement agreement = Agreement::Agree;
  Why why = {};                   ///< of a disagreement
  std::optional<Instant> ours;    ///< decided
  std::optional<Instant> theirs;  ///< seen
  Instant at;                     ///< found out

  /// How much earlier ours would have been; below zero: later.
  std::optional<Duration> lead() const {
    if (!ours || !theirs) return std::nullopt;
    return *theirs - *ours;
  }
};

/// Holds what is decided here against what is seen in the cluster: the same change of the same
/// object is one, whoever comes first and however often it is decided. Whether one that stands
/// alone may still be met is for others to say.
///
/// Pure, on one thread. What is open takes `open_max` places at most: no more is to be decided than
/// `places_left` has, and what is seen beyond them is counted as overlooked.
class Matcher {
 public:
  static constexpr std::size_t open_max = 20'000;

  /// One that stands alone so far: of `ours` and `theirs` one is there.
  struct Open {
    Change change;
    std::optional<Instant> ours;
    std::optional<Instant> theirs;
    Instant due;        ///< of one seen: when it would be decided here, if nothing changes
    bool told = false;  ///< as only ours; what comes after that is no news
  };

  std::size_t places_left() const { return open_max - std::min(open_.size(), open_max); }

  /// A change was decided here. Once more is the same.
  void decided(const Change& change, Instant now);
  /// The cluster shows it. `due`: when it would have been decided here, if nothing changes. For one
  /// that is due already nobody waits.
  void seen(const Change& change, Instant due, Instant now);
  /// The cluster shows it, and it would not have been decided here.
  void seen_alone(const Change& change, const Why& why, Instant now);

  /// Of one that was seen: it would have been decided here at its time.
  void came_due(const ChangeKey& key, Instant due, Instant now);
  /// The change is not wanted here, or not any more.
  void dropped(const ChangeKey& key, const Why& why, Instant now);
  /// Of one that was decided and nobody does: it stays open, so that what comes after all is known.
  void given_up(const ChangeKey& key, const Why& why, Instant now);
  /// Nothing is open any more.
  void clear() { open_.clear(); }

  const std::map<ChangeKey, Open>& open() const { return open_; }
  const Open* find(const ChangeKey& key) const;
  std::uint64_t overlooked() const { return overlooked_; }
  std::vector<Finding> take() { return std::exchange(found_, {}); }

 private:
  void agree(const Change& change, Instant ours, Instant theirs, Instant now);

  std::map<ChangeKey, Open> open_;
  std::vector<Finding> found_;
  std::uint64_t overlooked_ = 0;
};

}  // namespace nlc::controller::observe

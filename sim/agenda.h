#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace nlc::sim {

/// What is still to be done, each under a number: the later it came, the higher. Places are used
/// again, so that nothing is allocated for an item once there were as many; numbers are not.
template <typename Item>
class Agenda {
 public:
  Agenda() = default;
  Agenda(const Agenda&) = delete;
  Agenda& operator=(const Agenda&) = delete;
  /// An item that goes may take others out.
  ~Agenda() {
    for (std::size_t i = 0; i < places_.size(); ++i) (void)take(places_[i].number);
  }

  std::uint64_t add(Item item) {
    if (free_.empty()) {
      assert(places_.size() < place_mask);
      free_.push_back(places_.size());
      places_.emplace_back();
    }
    const std::uint64_t place = free_.back();
    free_.pop_back();
    places_[place] = {.number = (++last_ << place_bits) | place, .item = std::move(item)};
    return places_[place].number;
  }

  /// Null where it was taken out.
  Item* find(std::uint64_t number) {
    Place& place = places_[number & place_mask];
    return place.number == number ? &place.item : nullptr;
  }

  /// Nothing where it was taken out before.
  std::optional<Item> take(std::uint64_t number) {
    Item* found = number == 0 ? nullptr : find(number);
    if (found == nullptr) return std::nullopt;
    places_[number & place_mask].number = 0;
    free_.push_back(number & place_mask);
    return std::exchange(*found, Item{});
  }

  std::size_t size() const { return places_.size() - free_.size(); }

 private:
  static constexpr unsigned place_bits = 24;
  static constexpr std::uint64_t place_mask = (std::uint64_t{1} << place_bits) - 1;

  struct Place {
    std::uint64_t number = 0;  ///< 0: nothing is there
    Item item{};
  };

  std::vector<Place> places_;
  std::vector<std::uint64_t> free_;
  std::uint64_t last_ = 0;
};

}  // namespace nlc::sim

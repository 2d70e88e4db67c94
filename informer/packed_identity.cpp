#include "informer/packed_identity.h"

#include <absl/hash/hash.h>
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "api/version.h"
#include "runtime/parse_number.h"

namespace nlc::informer {
namespace {

constexpr std::size_t uuid_size = 36;
constexpr std::string_view digits = "0123456789abcdef";

/// Where the two digits of each byte stand.
constexpr std::array<std::size_t, 16> places = {0,  2,  4,  6,  9,  11, 14, 16,
                                                19, 21, 24, 26, 28, 30, 32, 34};
constexpr std::array<std::size_t, 4> dashes = {8, 13, 18, 23};

/// Of each character as a digit; -1: it is none. A look-up costs less than a wrong guess.
constexpr std::array<signed char, 256> values = [] {
  std::array<signed char, 256> table{};
  table.fill(-1);
  for (std::size_t value = 0; value < digits.size(); ++value) {
    table[static_cast<unsigned char>(digits[value])] = static_cast<signed char>(value);
  }
  return table;
}();

/// Nothing for what is no decimal number, or one that would not be written so again.
bool read_version(std::string_view text, std::uint64_t& version) {
  constexpr std::size_t safe_digits = 18;
  if (text.size() > safe_digits || (text.size() > 1 && text.front() == '0')) return false;
  const auto number = parse_number<std::uint64_t>(text);
  version = number ? *number + 1 : 0;
  return number || text.empty();
}

}  // namespace

bool PackedIdentity::read(std::string_view text, Uuid& uuid) {
  uuid = {};
  if (text.empty()) return true;
  if (text.size() != uuid_size) return false;
  bool wrong = std::ranges::any_of(dashes, [&](std::size_t place) { return text[place] != '-'; });
  for (std::size_t byte = 0; byte < places.size(); ++byte) {
    const int high = values[static_cast<unsigned char>(text[places[byte]])];
    const int low = values[static_cast<unsigned char>(text[places[byte] + 1])];
    wrong |= (high | low) < 0;
    std::uint64_t& half = byte < places.size() / 2 ? uuid.high : uuid.low;
    half = (half << 8U) | static_cast<std::uint64_t>(16 * high + low);
  }
  return !wrong && uuid != Uuid{};  // all zeros stand for an empty text
}

void PackedIdentity::write(const Uuid& uuid, std::string& text) {
  text.clear();
  if (uuid == Uuid{}) return;
  text.resize(uuid_size, '-');
  for (std::size_t byte = 0; byte < places.size(); ++byte) {
    const std::uint64_t half = byte < places.size() / 2 ? uuid.high : uuid.low;
    const std::uint64_t value = half >> (56U - 8U * (byte % 8));
    text[places[byte]] = digits[(value >> 4U) & 15U];
    text[places[byte] + 1] = digits[value & 15U];
  }
}

const PackedIdentity::Texts* PackedIdentity::texts() const {
  if ((version_ & is_text) == 0) return nullptr;
  return std::bit_cast<const Texts*>(version_ & ~is_text);
}

void PackedIdentity::forget() {
  delete texts();
  version_ = 0;
}

void PackedIdentity::set(std::string_view uid, std::string_view version) {
  Uuid uuid;
  std::uint64_t number = 0;
  if (read(uid, uuid) && read_version(version, number)) {
    forget();
    uid_ = uuid;
    version_ = number;
    return;
  }
  const Texts* const kept = new Texts{std::string(uid), std::string(version)};
  forget();
  uid_ = {};
  version_ = std::bit_cast<std::uint64_t>(kept) | is_text;
}

void PackedIdentity::get(std::string& uid, std::string& version) const {
  if (const Texts* const kept = texts()) {
    uid = kept->uid;
    version = kept->version;
    return;
  }
  write(uid_, uid);
  version.clear();
  if (version_ == 0) return;
  std::array<char, 24> text{};
  char* const end = std::to_chars(text.data(), text.data() + text.size(), version_ - 1).ptr;
  version.assign(text.data(), end);
}

bool PackedIdentity::has_uid(std::string_view uid) const {
  if (const Texts* const kept = texts()) return kept->uid == uid;
  Uuid uuid;
  return read(uid, uuid) && uuid == uid_;
}

bool PackedIdentity::is_newer_than(std::string_view version) const {
  std::uint64_t number = 0;
  if (texts() == nullptr && read_version(version, number)) return number < version_;
  std::string own_uid;
  std::string own;
  get(own_uid, own);
  return api::older_version(version, own);
}

bool PackedIdentity::is_newer_than(const PackedIdentity& other) const {
  if (texts() == nullptr && other.texts() == nullptr) {
    return other.version_ != 0 && other.version_ < version_;
  }
  std::string uid;
  std::string version;
  other.get(uid, version);
  return outdates(version);
}

std::uint64_t PackedIdentity::digest() const {
  const Texts* kept = texts();
  if (kept != nullptr) return absl::HashOf(kept->uid, kept->version);
  return absl::HashOf(uid_.high, uid_.low, version_);
}

bool PackedIdentity::same_as(const PackedIdentity& other) const {
  const Texts* const left = texts();
  const Texts* const right = other.texts();
  if (left != nullptr && right != nullptr) {
    return left->uid == right->uid && left->version == right->version;
  }
  return uid_ == other.uid_ && version_ == other.version_;
}

}  // namespace nlc::informer

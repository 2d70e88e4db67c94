#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace nlc::informer {

/// The uid and the resourceVersion of an object in 24 bytes, where they are what servers give out:
/// a UUID in small letters and a decimal number. To a client both are any text, so whatever else
/// comes is kept as it is.
class PackedIdentity {
 public:
  PackedIdentity() = default;
  PackedIdentity(PackedIdentity&& other) noexcept
      : uid_(std::exchange(other.uid_, {})), version_(std::exchange(other.version_, 0)) {}
  PackedIdentity& operator=(PackedIdentity&& other) noexcept {
    std::swap(uid_, other.uid_);
    std::swap(version_, other.version_);
    return *this;
  }
  ~PackedIdentity() { forget(); }

  /// Allocates nothing for what servers give out.
  void set(std::string_view uid, std::string_view version);
  void get(std::string& uid, std::string& version) const;

  bool has_uid(std::string_view uid) const;
  /// Whether `version` is older than this one's.
  bool is_newer_than(std::string_view version) const;
  /// Whether the version of `other`, which has one, is older than this one's.
  bool is_newer_than(const PackedIdentity& other) const;
  /// Whether `version` is one, and older than this one's.
  bool outdates(std::string_view version) const {
    return !version.empty() && is_newer_than(version);
  }
  /// Whether this is of a later object than the one of the same name whose deletion came.
  bool outlives(std::string_view uid, std::string_view version) const {
    return (uid.empty() || !has_uid(uid)) && outdates(version);
  }
  bool same_as(const PackedIdentity& other) const;
  /// Another one for another uid or version, save by chance.
  std::uint64_t digest() const;

 private:
  /// Both as they came, behind `version_` then.
  struct Texts {
    std::string uid;
    std::string version;
  };
  static constexpr std::uint64_t is_text = std::uint64_t{1} << 63U;

  const Texts* texts() const;
  void forget();

  struct Uuid {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend bool operator==(const Uuid&, const Uuid&) = default;
  };
  static bool read(std::string_view text, Uuid& uuid);
  static void write(const Uuid& uuid, std::string& text);

  Uuid uid_;
  std::uint64_t version_ = 0;  ///< 0: empty; else one more than the number, or where the texts are
};

}  // namespace nlc::informer

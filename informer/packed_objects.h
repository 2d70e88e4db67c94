#pragma once

#include <absl/hash/hash.h>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "api/objects.h"
#include "informer/packed_identity.h"
#include "informer/shared_text.h"

/// Objects as a store keeps them: the same values in a fraction of the memory. What many objects
/// say alike is kept once (a node's name in its pods, zones, the tolerations of most pods, the
/// words of healthy conditions), times as what they differ by. A node is at most 300 bytes so, a
/// pod 200, their places in the store and its index included.
///
/// Each takes over an object with `set` and gives it back, equal, with `get`. One with an empty
/// name is no object.
namespace nlc::informer {

/// What the packed forms have in common of objects that are found by one text.
class PackedByKey {
 public:
  bool is_object() const { return !key_.empty(); }
  std::string_view key() const { return key_.view(); }
  const PackedIdentity& identity() const { return identity_; }
  static std::size_t hash_of(std::string_view key) { return absl::HashOf(key); }
  template <typename Object>
  static std::size_t hash_of(const Object& object) {
    return hash_of(std::string_view(object.key()));
  }
  std::size_t hash() const { return hash_of(key()); }
  bool has_key(std::string_view key) const { return this->key() == key; }
  /// Of an object, or of another row.
  template <typename Object>
  bool has_key_of(const Object& other) const {
    return has_key(other.key());
  }

 protected:
  SharedText key_;
  PackedIdentity identity_;
};

class PackedNode : public PackedByKey {
 public:
  void set(const api::Node& node, TextPool& texts);
  void get(api::Node& node) const;

  std::string_view name() const { return key(); }

 private:
  std::int64_t created_ = 0;
  SharedText labels_;
  SharedText pause_;
  SharedText taints_;
  SharedText condition_words_;
  SharedText condition_times_;
  bool deleting_ = false;
  bool unschedulable_ = false;
};

class PackedLease : public PackedByKey {
 public:
  void set(const api::NodeLease& lease, TextPool& texts);
  void get(api::NodeLease& lease) const;

 private:
  std::int64_t renewed_ = 0;
};

class PackedPod {
 public:
  void set(const api::Pod& pod, TextPool& texts);
  void get(api::Pod& pod) const;

  bool is_object() const { return !name_.empty(); }
  const PackedIdentity& identity() const { return identity_; }
  static std::size_t hash_of(std::string_view key);
  static std::size_t hash_of(const api::Pod& pod) { return hash_of(pod.namespace_, pod.name); }
  std::size_t hash() const { return hash_of(namespace_.view(), name_.view()); }
  std::string_view namespace_name() const { return namespace_.view(); }
  std::string_view name() const { return name_.view(); }
  bool has_key(std::string_view key) const;
  bool has_key_of(const api::Pod& pod) const {
    return name_.view() == pod.name && namespace_.view() == pod.namespace_;
  }
  bool has_key_of(const PackedPod& other) const {
    return name_.view() == other.name_.view() && namespace_.view() == other.namespace_.view();
  }

 private:
  static std::size_t hash_of(std::string_view namespace_, std::string_view name) {
    return absl::HashOf(namespace_, name);
  }

  SharedText namespace_;
  SharedText name_;
  SharedText node_name_;
  PackedIdentity identity_;
  std::int64_t generation_ = 0;
  SharedText tolerations_;
  SharedText condition_words_;
  std::int64_t ready_since_ = 0;
  bool deleting_ = false;
  bool finished_ = false;
  bool daemon_ = false;
  bool lost_ = false;
  std::uint32_t bound_ = 0;
};

/// As it is: there are few of them.
class PackedConfigMap : public PackedByKey {
 public:
  void set(const api::ConfigMap& config, TextPool& texts);
  void get(api::ConfigMap& config) const { config = config_; }

 private:
  api::ConfigMap config_;
};

// The packed form of T.
PackedNode packed_form(const api::Node&);
PackedLease packed_form(const api::NodeLease&);
PackedPod packed_form(const api::Pod&);
PackedConfigMap packed_form(const api::ConfigMap&);
template <typename T>
using Packed = decltype(packed_form(std::declval<const T&>()));

}  // namespace nlc::informer

#include "informer/list_takeover.h"

#include "api/version.h"

namespace nlc::informer {

/// What is held counts, and not what was listed.
bool ListTakeover::stands(Slot slot, const PackedIdentity& held,
                          const PackedIdentity& listed) const {
  if (!list_.rewound && held.same_as(listed)) return true;
  const bool overtook = !list_.rewound && held.outdates(list_.version);
  if (!has(slot) && !overtook) return false;
  std::string uid;
  std::string version;
  listed.get(uid, version);
  return has(slot) ? held.outdates(version) : held.has_uid(uid);
}

bool ListTakeover::takes(Slot slot, const PackedIdentity& held, const PackedIdentity& listed) {
  const bool replaces = !stands(slot, held, listed);
  listed_[slot] = true;
  const bool can_tell = api::is_comparable_version(list_.version);
  if (replaces && can_tell && !held.is_newer_than(list_.version) && held.is_newer_than(listed)) {
    std::string uid;
    held.get(uid, reversals_.emplace_back(Reversal{.slot = slot}).held);
  }
  return replaces;
}

bool ListTakeover::Reversal::lasts(const PackedIdentity& now) const {
  std::string uid;
  std::string version;
  now.get(uid, version);
  return api::older_version(version, held);
}

}  // namespace nlc::informer

#include "election/lock/lock_record.h"

#include <algorithm>
#include <chrono>

#include "api/version.h"

namespace nlc::election {
namespace {

constexpr char between_versions = ',';

}  // namespace

Duration lease_of(const LockRecord& record, Duration ours) {
  constexpr std::int64_t year = 365 * 24 * 3600;
  const std::int64_t seconds = record.duration_seconds.value_or(0);
  const Duration theirs = std::chrono::seconds(std::clamp(seconds, std::int64_t{0}, year));
  return std::max(theirs, ours);
}

bool is_given_back(const LockRecord& record) {
  return record.holder.empty() && record.duration_seconds == 1;
}

bool is_of_one_leadership(const LockRecord& half, const LockRecord& other) {
  const auto second = [](const LockRecord& record) {
    return record.acquired ? std::chrono::floor<std::chrono::seconds>(*record.acquired)
                           : std::chrono::sys_seconds();
  };
  return half.holder == other.holder && half.transitions == other.transitions &&
         second(half) == second(other);
}

bool moved(const LockRecord& before, const LockRecord& now) {
  return before.holder != now.holder || before.renewed != now.renewed ||
         before.transitions != now.transitions || before.acquired != now.acquired ||
         before.duration_seconds != now.duration_seconds;
}

std::string joined_versions(std::string_view primary, std::string_view secondary) {
  return std::string(primary) + between_versions + std::string(secondary);
}

std::string_view first_of_joined(std::string_view joined) {
  return joined.substr(0, joined.find(between_versions));
}

bool is_joined(std::string_view text) {
  return text.find(between_versions) != std::string_view::npos;
}

std::string_view second_of_joined(std::string_view joined) {
  return is_joined(joined) ? joined.substr(joined.find(between_versions) + 1) : std::string_view();
}

bool is_older_lock(std::string_view left, std::string_view right) {
  if (api::older_version(first_of_joined(left), first_of_joined(right))) return true;
  if (!is_joined(left) || !is_joined(right)) return false;
  return api::older_version(second_of_joined(left), second_of_joined(right));
}

}  // namespace nlc::election

#include "leaderships.h"

#include <algorithm>
#include <iterator>

namespace nlc::real {
namespace {

bool is_write(const AuditLine& line) {
  return line.verb == "create" || line.verb == "update" || line.verb == "patch" ||
         line.verb == "delete" || line.verb == "deletecollection";
}

/// RBAC and the audit log know no name of what is only being created: the body does.
std::string name_in(const AuditLine& line) {
  if (!line.name.empty() || !line.body.is_object()) return line.name;
  return line.body.value("metadata", nlohmann::json::object()).value("name", "");
}

bool concerns(const AuditLine& line, const LockName& lock) {
  return line.what == "leases" && line.space == lock.space && name_in(line) == lock.name;
}

bool changed(const AuditLine& line, const LockName& lock) {
  return concerns(line, lock) && is_write(line) && line.code < 300;
}

std::string holder_in(const AuditLine& line) {
  if (!line.body.is_object()) return {};
  return line.body.value("spec", nlohmann::json::object()).value("holderIdentity", "");
}

Duration lease_in(const AuditLine& line) {
  return std::chrono::seconds(line.body.at("spec").value("leaseDurationSeconds", 0));
}

/// "became leader" and "stopped leading": events about the lock.
bool tells_of_election(const AuditLine& line, const LockName& lock) {
  return line.what == "events" && name_in(line).rfind(lock.name + ".", 0) == 0;
}

bool is_lawful(const std::vector<Leadership>& leaderships, const AuditLine& action) {
  return std::ranges::any_of(leaderships, [&action](const Leadership& leadership) {
    return leadership.credential == action.credential && leadership.covers(action.at);
  });
}

}  // namespace

bool Leadership::covers(WallTime moment) const {
  const auto next = std::upper_bound(renewed.begin(), renewed.end(), moment);
  if (next == renewed.begin()) return false;
  return moment <= *std::prev(next) + lease && (!ended || moment <= *ended);
}

std::vector<Leadership> leaderships_of(const std::vector<AuditLine>& lines, const LockName& lock) {
  // Lines stand in the order of answers. A write names the version it changes, so it was received
  // after the write that made this one, though that may have been answered later.
  std::vector<AuditLine> changes;
  std::ranges::copy_if(lines, std::back_inserter(changes),
                       [&lock](const AuditLine& line) { return changed(line, lock); });
  std::ranges::stable_sort(changes, {}, &AuditLine::at);
  std::vector<Leadership> leaderships;
  for (const AuditLine& line : changes) {
    const std::string holder = line.verb == "delete" ? "" : holder_in(line);
    const bool leads = !leaderships.empty() && !leaderships.back().ended;
    if (leads && leaderships.back().holder == holder) {
      leaderships.back().renewed.push_back(line.at);
      continue;
    }
    if (leads) leaderships.back().ended = line.at;
    if (holder.empty()) continue;
    leaderships.push_back({.holder = holder,
                           .credential = line.credential,
                           .taken = line.at,
                           .renewed = {line.at},
                           .lease = lease_in(line)});
  }
  return leaderships;
}

std::string usurpations(const std::vector<Leadership>& leaderships) {
  std::string text;
  for (std::size_t i = 1; i < leaderships.size(); ++i) {
    const Leadership& last = leaderships[i - 1];
    const bool given_back = *last.ended < leaderships[i].taken;
    if (given_back || leaderships[i].taken >= last.renewed.back() + last.lease) continue;
    text += leaderships[i].holder + " took the lock of " + last.holder + " at " +
            rfc3339_micro(leaderships[i].taken) + ", renewed at " +
            rfc3339_micro(last.renewed.back()) + "\n";
  }
  return text;
}

std::vector<AuditLine> controllers_writes(const std::vector<AuditLine>& lines,
                                          const LockName& lock) {
  std::vector<AuditLine> actions;
  const auto counts = [&lock](const AuditLine& line) {
    return line.user == controller_account && is_write(line) && !concerns(line, lock) &&
           !tells_of_election(line, lock);
  };
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(actions), counts);
  return actions;
}

std::vector<AuditLine> writes_outside(const std::vector<Leadership>& leaderships,
                                      const std::vector<AuditLine>& actions) {
  std::vector<AuditLine> outside;
  const auto unlawful = [&leaderships](const AuditLine& action) {
    return !is_lawful(leaderships, action);
  };
  std::copy_if(actions.begin(), actions.end(), std::back_inserter(outside), unlawful);
  return outside;
}

}  // namespace nlc::real

#include "replicas.h"

#include <algorithm>
#include <iostream>
#include <stdexcept>

#include "waiting.h"

namespace nlc::real {

using namespace std::chrono_literals;

bool Replica::leads() const {
  const std::string line = "leader_election_master_status{name=\"node-lifecycle-controller\"} 1\n";
  return program->page("/metrics").text.find(line) != std::string::npos;
}

void Replicas::start_replicas(std::size_t count, const std::vector<std::string>& flags) {
  flags_ = flags;
  cluster_.controller_account_config();  // for its rights
  while (replicas_.size() < count) replicas_.push_back(replica());
  ASSERT_TRUE(await(30s, [this] {
    return leaders() == 1 && std::ranges::all_of(replicas_, [](const Replica& one) {
             return one.program->readiness() == 200;
           });
  }));
}

Replica Replicas::replica() {
  const std::string stem = "replica-" + std::to_string(started_++);
  const Kubeconfig own = cluster_.account_config("kube-system", "node-lifecycle-controller");
  const auto file = write_kubeconfig(folder_ / (stem + ".kubeconfig"), own);
  return {.program = std::make_unique<Controller>(Controller::Options{
              .kubeconfig = file, .log = folder_ / (stem + ".log"), .flags = flags_})};
}

void Replicas::replace(Replica& ended) {
  ended = replica();
  ASSERT_TRUE(await(20s, [&ended] { return ended.program->readiness() == 200; }));
}

std::ptrdiff_t Replicas::leaders() const {
  return std::ranges::count_if(replicas_, &Replica::leads);
}

Replica& Replicas::leader() {
  auto found = replicas_.end();
  const auto has_one = [&] {
    found = std::ranges::find_if(replicas_, &Replica::leads);
    return found != replicas_.end();
  };
  if (!await(10s, has_one)) throw std::runtime_error("no replica says that it leads");
  return *found;
}

void Replicas::cordon_or_uncordon_nodes() {
  cordoned_ = !cordoned_;
  cluster_.must({cordoned_ ? "cordon" : "uncordon", "--selector=kubernetes.io/os=linux"});
}

std::optional<Handover> Replicas::handover_since(WallTime moment, Duration limit) {
  std::optional<Handover> seen;
  await(
      limit,
      [&] {
        const std::vector<AuditLine>& lines = cluster_.audit_lines();
        const std::vector<Leadership> leaderships = leaderships_of(lines, controller_lock);
        if (leaderships.empty() || leaderships.back().taken < moment) return false;
        for (const AuditLine& action : controllers_writes(lines, controller_lock)) {
          const bool by_the_next = action.credential == leaderships.back().credential;
          if (!by_the_next || action.at < moment || action.what == "events") continue;
          seen = {.lock = leaderships.back().taken - moment, .write = action.at - moment};
          return true;
        }
        return false;
      },
      20ms);
  return seen;
}

void Replicas::expect_writes_of_leaders_only() {
  const std::vector<AuditLine>& lines = cluster_.audit_lines();
  const std::vector<Leadership> leaderships = leaderships_of(lines, controller_lock);
  const std::vector<AuditLine> actions = controllers_writes(lines, controller_lock);
  const std::vector<AuditLine> outside = writes_outside(leaderships, actions);
  EXPECT_EQ(usurpations(leaderships), "");
  EXPECT_EQ(listed(outside), "");
  EXPECT_FALSE(actions.empty());
  expect_only_rightful_requests(lines);
  std::cout << "audit log: " << actions.size() << " writes in " << leaderships.size()
            << " leaderships, out of a leadership: " << outside.size() << std::endl;
}

}  // namespace nlc::real

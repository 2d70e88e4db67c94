#include <algorithm>
#include <csignal>
#include <deque>
#include <iostream>
#include <sstream>

#include "tests/real/rig/leaderships.h"
#include "tests/real/rig/stage.h"
#include "tests/real/rig/waiting.h"

/// Our side-car and the elector of upstream's client-go contend for one Lease, while whoever leads
/// is killed or asked to end, again and again.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;

enum class Kind { Ours, Upstreams };

Kind other(Kind kind) { return kind == Kind::Ours ? Kind::Upstreams : Kind::Ours; }

struct Candidate {
  Kind kind;
  std::string id;
  Process process;
  std::optional<WallTime> dead{};  ///< when it had surely ended
};

/// When our side-car says that in its log: "began to lead", "ceased to lead".
std::vector<WallTime> moments_in_our_log(const std::string& log, const std::string& words) {
  std::vector<WallTime> moments;
  std::istringstream text(log);
  for (std::string line; std::getline(text, line);) {
    if (line.find("msg=\"" + words + "\"") == std::string::npos) continue;
    const std::size_t begin = line.find("time=") + 5;
    moments.push_back(parse_rfc3339(line.substr(begin, line.find(' ', begin) - begin)).value());
  }
  return moments;
}

/// When tests/real/rival ceased to: microseconds, then the word.
std::vector<WallTime> ends_in_their_log(const std::string& log) {
  std::vector<WallTime> ends;
  std::istringstream text(log);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::int64_t microseconds = 0;
    std::string word;
    if (!(words >> microseconds >> word) || word != "ceases") continue;
    ends.push_back(WallTime{std::chrono::microseconds(microseconds)});
  }
  return ends;
}

class Contest : public Stage {
 protected:
  const LockName lock_{.space = "default", .name = "contest"};

  void enter(Kind kind) {
    const bool ours = kind == Kind::Ours;
    const std::string id = (ours ? "ours-" : "client-go-") + std::to_string(candidates_.size());
    const std::string program =
        ours ? sidecar_program().string() : asset("client-go-elector").string();
    candidates_.push_back(
        {.kind = kind,
         .id = id,
         .process =
             Process({.words = {program, "--election=" + lock_.name, "--id=" + id, "--ttl=2s",
                                "--kubeconfig=" + cluster_.admin_file().string()},
                      .output = folder_ / (id + ".log")})});
  }

  Candidate& candidate(const std::string& id) {
    return *std::ranges::find(candidates_, id, &Candidate::id);
  }

  std::vector<Leadership> leaderships() { return leaderships_of(cluster_.audit_lines(), lock_); }

  /// Whether the holder thought so at all. Ours holds a lock for a while before it leads.
  bool began(const Leadership& leadership) {
    const Candidate& holder = candidate(leadership.holder);
    if (holder.kind == Kind::Upstreams) return true;
    const std::vector<WallTime> moments =
        moments_in_our_log(holder.process.output(), "began to lead");
    return !moments.empty() && moments.back() >= leadership.taken;
  }

  /// Whoever of that kind took the lock at `moment` or later, leads by it and holds it still.
  bool leads_since(Kind kind, WallTime moment) {
    const std::vector<Leadership> all = leaderships();
    return !all.empty() && !all.back().ended && all.back().taken >= moment &&
           candidate(all.back().holder).kind == kind && began(all.back());
  }

  /// The leader as `signal` says, its fellows at once: then the next leader is of the other kind.
  void end_all(Kind kind, int signal) {
    const std::string leader = leaderships().back().holder;
    for (Candidate& one : candidates_) {
      if (one.kind != kind || one.dead) continue;
      if (one.id == leader && signal == SIGTERM) {
        one.process.send_signal(SIGTERM);
        EXPECT_EQ(one.process.wait(5s), 0) << one.id;
      }
      one.process.kill();
      one.dead = wall_now();
    }
  }

  void contend_for(Duration length) {
    for (const Kind kind : {Kind::Ours, Kind::Ours, Kind::Upstreams, Kind::Upstreams}) enter(kind);
    const WallTime begin = wall_now();
    ASSERT_TRUE(
        await(20s, [this] { return !leaderships().empty() && !leaderships().back().ended; }));
    Kind leading = candidate(leaderships().back().holder).kind;
    for (; wall_now() - begin < length; leading = other(leading), ++rounds_) {
      const WallTime moment = wall_now();
      end_all(leading, rounds_ % 4 < 2 ? SIGKILL : SIGTERM);
      ASSERT_TRUE(await(
          15s, [&] { return leads_since(other(leading), moment); }, 20ms))
          << "nobody took over from " << leaderships().back().holder;
      for (int count = 0; count < 2; ++count) enter(leading);
    }
  }

  /// The latest moment in which the holder of `leadership` can have thought that it leads: its own
  /// word, or its death; nothing while it leads.
  std::optional<WallTime> last_thought(const Leadership& leadership) {
    if (!began(leadership)) return leadership.taken;
    const Candidate& holder = candidate(leadership.holder);
    const std::string log = holder.process.output();
    for (const WallTime end : holder.kind == Kind::Ours ? moments_in_our_log(log, "ceased to lead")
                                                        : ends_in_their_log(log)) {
      if (end >= leadership.taken) return end;
    }
    return holder.dead;
  }

  void expect_one_holder_at_a_time() {
    const std::vector<Leadership> all = leaderships();
    EXPECT_EQ(usurpations(all), "");
    int changes = 0;
    int overlaps = 0;
    for (std::size_t i = 1; i < all.size(); ++i) {
      const std::optional<WallTime> before = last_thought(all[i - 1]);
      changes += candidate(all[i - 1].holder).kind != candidate(all[i].holder).kind ? 1 : 0;
      if (before && *before <= all[i].taken) continue;
      ++overlaps;
      ADD_FAILURE() << all[i - 1].holder << " led until "
                    << (before ? rfc3339_micro(*before) : "now") << ", " << all[i].holder
                    << " from " << rfc3339_micro(all[i].taken);
    }
    std::cout << "ours and client-go's on one Lease: " << rounds_ << " leaders ended, "
              << all.size() << " leaderships, " << changes
              << " changes between the kinds, two holders at once: " << overlaps << std::endl;
    EXPECT_GE(changes, rounds_);
  }

  std::deque<Candidate> candidates_;
  int rounds_ = 0;
};

TEST_F(Contest, OfOursAndUpstreamsElectorsNeverHasTwoHolders) {
  ASSERT_NO_FATAL_FAILURE(contend_for(30s));
  expect_one_holder_at_a_time();
}

class ContestLong : public Contest {};

TEST_F(ContestLong, OfOursAndUpstreamsElectorsNeverHasTwoHoldersInFiveMinutes) {
  ASSERT_NO_FATAL_FAILURE(contend_for(5min));
  expect_one_holder_at_a_time();
}

}  // namespace
}  // namespace nlc::real

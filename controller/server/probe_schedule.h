#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controller/server/write_probe.h"
#include "runtime/result.h"
#include "runtime/time.h"

namespace nlc::controller {

/// When a lease of our own is to be written that means nothing to anybody: where nothing else
/// proves that the server takes writes, or dates a list by which nodes are judged. A standby writes
/// none: it judges nobody, and sees what the leader writes.
///
/// Pure, on one thread.
class ProbeSchedule {
 public:
  struct Options {
    Duration after{0};        ///< since the last proof
    bool probes = false;      ///< somebody writes it
    bool dates_lists = true;  ///< somebody judges by lists, which are as old as nobody says
  };
  ProbeSchedule(const Options& options, Instant start)
      : options_(options), dated_(start), not_before_(start) {}

  void lead(bool leading);
  /// A lease of ours has this version now; empty: the lock was renewed, and is no Lease.
  void lease_written(std::string_view version, Instant now);

  struct Wish {
    bool awaited = false;       ///< somebody waits for it
    bool lists_decide = false;  ///< who is silent
  };
  /// Nothing while one is on its way, or nobody writes any.
  std::optional<Instant> next(Instant last_proof, const Wish& wish) const;
  void sent(std::string_view leases_reached);

  /// True: whoever waited for it to judge by lists of leases waits no longer.
  bool answered(const Result<WriteProbe::Written>& written, Instant now);

  bool leading() const { return leading_; }
  /// Who has just begun to lead beside a lock that dates no list has yet to hear of its probe, or
  /// heard that it read of the past.
  bool undated() const { return undated_; }
  /// How far the watch of leases had come when the last one was sent.
  const std::string& leases_reached() const { return leases_reached_; }
  /// Why the last one was refused; empty where it was not.
  const std::string& refused() const { return refused_; }
  /// The same of one that was after that: what was refused before the server last took a write
  /// does not say why it takes none now.
  std::string refused_since(Instant last_proof) const {
    return answered_ > last_proof ? refused_ : std::string();
  }

 private:
  bool is_for_lists(const Wish& wish) const;

  const Options options_;
  Instant dated_;  ///< when a lease of ours was last written
  bool lock_is_no_lease_ = false;
  bool leading_ = false;
  bool undated_ = false;
  bool under_way_ = false;
  std::string leases_reached_;
  Duration takes_{0};  ///< the last one took so long
  Instant not_before_;
  Instant answered_ = Instant::min();
  std::string refused_;
};

}  // namespace nlc::controller

#pragma once

#include <optional>
#include <string>

#include "api/lease.h"
#include "client/transport.h"
#include "client/verbs.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/result.h"

namespace nlc::controller {

/// Finds out whether the API server takes writes, by renewing a Lease of our own that means nothing
/// to anybody. For a process without leader election, whose renewals would tell, and for times in
/// which nothing else does.
///
/// On the executor's thread; an answer that comes after its end is heard by nobody.
class WriteProbe {
 public:
  struct Env {
    client::Transport& transport;
    const Clock& clock;
  };
  struct Place {
    std::string namespace_;
    std::string name;
  };
  WriteProbe(Env env, Place place) : env_(env), place_(std::move(place)) {}
  WriteProbe(const WriteProbe&) = delete;
  WriteProbe& operator=(const WriteProbe&) = delete;

  struct Written {
    std::string version;  ///< that the server gave the lease
    Instant sent = {};    ///< when that was asked of it
    /// When the write of ours was acknowledged that the next two are about.
    Instant before = {};
    /// The read before it showed the lease as it was before a write of ours that was acknowledged,
    /// or none at all: the server went back in time, or somebody removed it.
    bool went_back = false;
    /// And took this write on that version: a server that is merely late would have refused it.
    bool borne_out = false;
  };
  /// One write, after a read where another wrote meanwhile. Not while another is under way.
  void begin(client::Done<Written> done);

 private:
  void read();
  void create();
  void renew();
  client::Done<api::Lease> then(void (WriteProbe::*taken)(api::Lease));
  void found(api::Lease lease);
  void written(api::Lease lease);
  void refused(Error error);
  void finish(Result<Written> written);

  const Env env_;
  const Place place_;
  std::optional<api::Lease> known_;         ///< as it was last seen
  std::optional<api::Lease> acknowledged_;  ///< as our last write left it
  Instant acknowledged_at_;
  client::Done<Written> done_;
  bool went_back_ = false;  ///< shown by this probe
  bool on_older_ = false;   ///< and it writes what it was shown
  bool reread_ = false;     ///< in this probe, after a conflict
  Instant sent_;            ///< its last write
  CallbackScope callbacks_;
};

}  // namespace nlc::controller

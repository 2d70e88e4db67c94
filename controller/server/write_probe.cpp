#include "controller/server/write_probe.h"

#include <cassert>
#include <utility>

#include "api/version.h"

namespace nlc::controller {
namespace {

/// An answer that takes longer proves as little as none.
constexpr Duration timeout = std::chrono::seconds(10);

}  // namespace

void WriteProbe::begin(client::Done<Written> done) {
  assert(!done_);
  done_ = std::move(done);
  reread_ = false;
  went_back_ = on_older_ = false;
  known_ ? renew() : create();
}

client::Done<api::Lease> WriteProbe::then(void (WriteProbe::*taken)(api::Lease)) {
  return callbacks_.guard([this, taken](Result<api::Lease> lease) {
    if (lease) return (this->*taken)(std::move(*lease));
    refused(std::move(lease.error()));
  });
}

void WriteProbe::read() {
  client::get_lease(env_.transport, client::RequestPriority::Election, place_.namespace_,
                    place_.name, timeout, then(&WriteProbe::found));
}

void WriteProbe::found(api::Lease lease) {
  on_older_ = acknowledged_ && lease.uid == acknowledged_->uid &&
              api::older_version(lease.resource_version, acknowledged_->resource_version);
  went_back_ = on_older_ || (acknowledged_ && lease.uid != acknowledged_->uid);
  known_ = std::move(lease);
  renew();
}

void WriteProbe::renew() {
  sent_ = env_.clock.now();
  known_->renewed = env_.clock.wall_now();
  client::update_lease(env_.transport, client::RequestPriority::Election, *known_, timeout,
                       then(&WriteProbe::written));
}

void WriteProbe::create() {
  sent_ = env_.clock.now();
  const WallTime now = env_.clock.wall_now();
  const api::Lease lease{
      .namespace_ = place_.namespace_, .name = place_.name, .acquired = now, .renewed = now};
  client::create_lease(env_.transport, client::RequestPriority::Election, lease, timeout,
                       then(&WriteProbe::written));
}

void WriteProbe::written(api::Lease lease) {
  known_ = std::move(lease);
  acknowledged_ = known_;
  const Instant before = std::exchange(acknowledged_at_, env_.clock.now());
  finish(Written{.version = known_->resource_version,
                 .sent = sent_,
                 .before = before,
                 .went_back = went_back_,
                 .borne_out = on_older_});
}

/// Another process may have written or removed it: one more look tells, and no more than one.
void WriteProbe::refused(Error error) {
  const bool absent = error.fault == Fault::NotFound;
  const bool raced = error.fault == Fault::Conflict || error.fault == Fault::AlreadyExists;
  known_.reset();
  went_back_ = absent && acknowledged_;
  on_older_ = false;
  if ((absent || raced) && !std::exchange(reread_, true)) return absent ? create() : read();
  finish(std::move(error));
}

void WriteProbe::finish(Result<Written> written) {
  std::exchange(done_, nullptr)(std::move(written));
}

}  // namespace nlc::controller

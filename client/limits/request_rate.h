#pragma once

#include <optional>

#include "client/limits/request_kind.h"
#include "client/transport.h"
#include "runtime/time.h"

namespace nlc::client {

/// A token bucket: so many requests a second, with a burst. A token is for whoever comes first, and
/// those that queue come by priority. But a token is kept for verdicts that wait, although they do
/// not queue as reads of leases do, for what was read for them is soon out of date. And a kind of
/// which none got one for a second goes first, so that none starves; for five where it repeats what
/// failed, or is an event, for which nobody waits. Where both wait they take turns. An event takes
/// no token for which another waits before that.
///
/// Pure, a value: a copy tells what would be had now.
class RequestRate {
 public:
  /// `per_second` 0: no limit. It begins with as many tokens as a burst has.
  RequestRate(double per_second, int burst, Instant now);
  static RequestRate unlimited() { return {0, 0, Instant{}}; }

  /// Whether such a request may have a token now.
  bool has_token(RequestKind kind, Instant now) const;
  void take(RequestKind kind, Instant now);

  /// Such a request waits for a token, or none does any more.
  void waits(RequestKind kind, Instant now);
  void waits_no_more(RequestKind kind) { waiting_since_.of(kind).reset(); }
  bool is_waiting(RequestKind kind) const { return waiting_since_.of(kind).has_value(); }
  /// Whom the next token is for; nothing: nobody waits for whom it would be kept.
  std::optional<RequestKind> served_first(Instant now) const;

  /// When there will be a whole token.
  Instant next_token(Instant now) const;

 private:
  bool limits() const { return per_second_ > 0; }
  double tokens_left(Instant now) const;
  bool gives_way(RequestKind kind) const;

  const double per_second_;
  const double burst_;
  double tokens_;
  Instant counted_;
  bool verdict_was_last_ = false;
  ByKind<std::optional<Instant>> waiting_since_;
};

}  // namespace nlc::client

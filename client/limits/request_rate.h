#pragma once

#include <optional>

#include "client/limits/request_kind.h"
#include "client/transport.h"
#include "runtime/time.h"

namespace nlc::client {

/// What a rate allows at one moment.
struct Tokens {
  double left = 0;
  /// Whom the next token is for; nothing: nobody waits for it.
  std::optional<RequestKind> served_first = {};

  bool has_one_for(RequestKind kind) const {
    const bool another_first = served_first && *served_first != kind;
    return left >= (another_first ? 2 : 1);
  }
  void take(RequestKind kind) {
    left -= 1;
    if (served_first == kind) served_first.reset();
  }
};

/// A token bucket: so many requests a second, with a burst. A token is for whoever comes first, and
/// those that queue come by priority. But a kind of which none got one for a second goes first, or
/// for five where it repeats what failed, so that none starves. Else verdicts do, for what was read
/// for them is soon out of date: a token is kept for them although they do not queue, as reads of
/// leases do. And an event, for which nobody waits, takes none for which another waits.
///
/// Pure.
class RequestRate {
 public:
  /// `per_second` 0: no limit.
  RequestRate(double per_second, int burst, Instant now);

  /// Nothing: there is no limit.
  std::optional<Tokens> tokens(Instant now) const;
  /// Whether such a request may have a token now.
  bool has_token(RequestKind kind, Instant now) const;
  void take(RequestKind kind, Instant now);

  /// Such a request waits for a token, or none does any more.
  void waits(RequestKind kind, Instant now);
  void waits_no_more(RequestKind kind) { waiting_since_.of(kind).reset(); }

  /// When there will be a whole token.
  Instant next_token(Instant now) const;

 private:
  bool limits() const { return per_second_ > 0; }
  double tokens_left(Instant now) const;
  std::optional<RequestKind> served_first(Instant now) const;
  bool gives_way(RequestKind kind) const;

  const double per_second_;
  const double burst_;
  double tokens_;
  Instant counted_;
  ByKind<std::optional<Instant>> waiting_since_;
};

}  // namespace nlc::client

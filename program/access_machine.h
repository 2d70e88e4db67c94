#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/access_review.h"
#include "client/limits/request_rate.h"
#include "program/answer_cache.h"
#include "runtime/result.h"
#include "runtime/time.h"

namespace nlc::program {

/// What a caller of a page shows and wants.
struct AccessRequest {
  std::string token;  ///< empty: none was shown
  std::string verb;   ///< his method in lower case, as Kubernetes has it for what is no resource
  std::string path;
};

enum class Access : std::uint8_t {
  Granted,
  Unauthenticated,  ///< no token, or one that the API server does not accept
  Forbidden,        ///< it is somebody who may not
  Unknown,          ///< nobody could say; never taken for a yes
};

struct AccessLimits {
  Duration valid = std::chrono::seconds(10);    ///< of an answer, as in kube-controller-manager
  Duration time_out = std::chrono::seconds(9);  ///< of a caller; Prometheus has ten seconds
  std::size_t callers_max = 32;                 ///< who wait; all others are told at once
  std::size_t reviews_max = 4;                  ///< at the API server at once
  double reviews_per_second = 20;
  int burst = 40;
  std::size_t answers_max = 64;  ///< of each of the two kinds
};

/// Delegated authentication and authorization: who calls is asked of the API server by a
/// TokenReview, whether he may by a SubjectAccessReview; answers are kept for ten seconds, be they
/// good or bad, failures are not. Callers with the same question wait for one review.
///
/// Bounded in all that callers can make it do: who may wait, for how long, how many reviews are
/// under way, how many a second begin, what is kept. Whoever floods the port with tokens costs the
/// API server `reviews_per_second` requests, and other callers their pages.
///
/// Pure. A caller is told once, unless he left.
class AccessMachine {
 public:
  using CallerId = std::uint64_t;
  using ReviewId = std::uint64_t;

  /// Whose token is it?
  struct TokenQuestion {
    std::string token;
    bool operator==(const TokenQuestion&) const = default;
  };
  using Question = std::variant<TokenQuestion, api::AccessQuestion>;

  struct Ask {
    ReviewId review;
    Question question;
  };
  struct Tell {
    CallerId caller;
    Access access;
    std::string why;  ///< in one line; empty where it is granted
  };
  using Output = std::variant<Ask, Tell>;
  using Outputs = std::vector<Output>;

  AccessMachine(Instant now, AccessLimits limits = {});

  /// A number that nobody waiting has.
  Outputs called(CallerId caller, AccessRequest request, Instant now);
  void left(CallerId caller);

  Outputs token_reviewed(ReviewId review, Result<std::optional<api::User>> answer, Instant now);
  Outputs access_reviewed(ReviewId review, Result<bool> answer, Instant now);

  /// To be called when `wakes` has come.
  Outputs time_passed(Instant now);
  std::optional<Instant> wakes(Instant now) const;

  std::size_t callers() const { return callers_.size(); }

 private:
  struct Caller {
    CallerId id;
    AccessRequest request;
    Instant gives_up;
  };
  struct UnderWay {
    ReviewId id;
    Question question;
  };
  struct Known {
    Access access;
    std::string why;
  };
  /// What is known of a request, or what has to be asked next.
  using Step = std::variant<Known, Question>;

  Step next_step(const AccessRequest& request, Instant now) const;
  template <typename Asked, typename T>
  Outputs reviewed(AnswerCache<Asked, T>& answers, ReviewId review, Result<T> answer, Instant now);
  std::optional<Question> ended(ReviewId review);
  void could_not_say(const Question& question, const Error& error, Instant now, Outputs& outputs);
  void go_on(Instant now, Outputs& outputs);
  bool may_ask(Instant now) const;
  bool is_asked(const Question& question) const;

  const AccessLimits limits_;
  std::deque<Caller> callers_;  ///< in the order in which they came
  std::vector<UnderWay> reviews_;
  ReviewId last_review_ = 0;
  client::RequestRate rate_;
  AnswerCache<TokenQuestion, std::optional<api::User>> users_;
  AnswerCache<api::AccessQuestion, bool> grants_;
};

}  // namespace nlc::program

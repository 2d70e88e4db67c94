#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "bench/side_by_side/contender.h"
#include "runtime/time.h"

namespace nlc::bench {

/// How long a kubelet leaves a container that has ended before it starts it again, for the nth
/// time: not at all, 10 s, 20 s, 40 s … 5 min.
Duration pause_before_restart(std::size_t restarts_before);

/// A contender that is started again whenever it has ended, as the kubelet of its node would.
class Supervisor {
 public:
  using Start = std::function<Contender(const std::string& name)>;

  Supervisor(Start start, std::string name);

  /// Starts it again if it has ended and its pause is over; to be called over and over.
  void look();

  Contender& contender() { return *contender_; }
  std::size_t restarts() const { return restarts_; }

 private:
  const Start start_;
  const std::string name_;
  std::optional<Contender> contender_;
  std::optional<WallTime> ended_;  ///< when that was seen
  std::size_t restarts_ = 0;
};

}  // namespace nlc::bench

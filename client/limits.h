#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>

#include "client/flow_window.h"
#include "client/transport.h"
#include "runtime/clock.h"
#include "runtime/executor.h"

namespace nlc::client {

struct LimitOptions {
  double requests_per_second = 0;  ///< --kube-api-qps; 0: no limit
  int burst = 30;                  ///< --kube-api-burst; of use only with a rate
  int in_flight = 64;              ///< of ours at any server at once
};

/// Holds requests back before the seam: at most so many in flight, fewer while the server is in
/// trouble, at most so many a second. Those that wait go in the order of their lanes, so node
/// writes and the reads that a verdict waits for pass pod writes, and events come last. While nodes
/// are at it, pod writes and events keep to a few places, for a server that is busy with them
/// answers everybody late. The election is never held, nor are watches: opening one is limited by
/// its reflector.
class LimitedTransport final : public Transport {
 public:
  LimitedTransport(Transport& inner, const Clock& clock, Executor& executor, LimitOptions options);
  /// Whoever waits for an answer is not told any more.
  ~LimitedTransport() override { *alive_ = false; }
  LimitedTransport(const LimitedTransport&) = delete;
  LimitedTransport& operator=(const LimitedTransport&) = delete;

  void send(Request request, Answer answer) override;
  Lifeline watch(Request request, std::unique_ptr<StreamReader> reader) override;

  std::size_t waiting() const;
  /// Nothing waits, and nothing is on its way but the election and watches.
  bool is_at_rest() const { return in_flight_ == 0 && waiting() == 0; }

 private:
  struct Waiting {
    Request request;
    Answer answer;
  };
  static constexpr std::size_t lanes = 6;
  /// For pod writes and events while nodes are at it: from their first request until they have been
  /// quiet for so long.
  static constexpr int yielding_places = 4;
  static constexpr Duration quiet = std::chrono::milliseconds(250);

  static bool yields(Lane lane) { return lane == Lane::PodWrite || lane == Lane::Event; }

  void pump();
  bool gives_way(Lane lane);
  bool pauses();
  bool take_token();
  void launch(Waiting next);
  std::deque<Waiting>* first_waiting();

  Transport& inner_;
  const Clock& clock_;
  Executor& executor_;
  const LimitOptions options_;
  std::array<std::deque<Waiting>, lanes> queues_;
  int in_flight_ = 0;
  int yielding_ = 0;                      ///< of those in flight: the ones that give way
  Instant last_urgent_ = Instant::min();  ///< answer to one that does not
  FlowWindow window_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  double tokens_;
  Instant refilled_;
  Timer wake_;
};

}  // namespace nlc::client
